// oidc-provider as an issuer for MCP: `node oidc_provider.mjs FOLDER`, where npm has put it. It
// prints its address. Everybody signs in there, and only eve is no analyst.
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const library = `${process.argv[2]}/node_modules/oidc-provider/lib/index.js`;
const { Provider } = await import(pathToFileURL(library));

let handle;
const server = createServer((request, response) => handle(request, response));
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(url, {
    scopes: ["openid", "offline_access", "mcp"],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_, token) => ({ groups: token.accountId === "eve" ? [] : ["analysts"] }),
    features: {
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: "mcp",
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "RS256" } },
        }),
      },
    },
  });
  handle = provider.callback();
  console.log(url);
});
