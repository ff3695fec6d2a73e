"""Answers in the formats that public services document: errors, and answers that only look it.

Each error has the classes that a person would accept for it.
"""

from __future__ import annotations

ERRORS: dict[str, tuple[str, object]] = {
    # Standards.
    "rfc 9457": (
        "rule validation",
        {
            "type": "https://example.com/probs/out-of-credit",
            "title": "You do not have enough credit.",
            "detail": "Your current balance is 30, but that costs 50.",
            "instance": "/account/12345/msgs/abc",
            "balance": 30,
            "accounts": ["/account/12345", "/account/67890"],
            "status": 403,
        },
    ),
    "rfc 9457 without a status": (
        "validation",
        {
            "type": "https://example.net/validation-error",
            "title": "Your request is not valid.",
            "errors": [{"detail": "must be a positive integer", "pointer": "#/age"}],
        },
    ),
    "json:api": (
        "validation",
        {
            "errors": [
                {
                    "status": "422",
                    "source": {"pointer": "/data/attributes/firstName"},
                    "title": "Invalid Attribute",
                    "detail": "First name must contain at least two characters.",
                }
            ],
            "jsonapi": {"version": "1.1"},
        },
    ),
    "graphql": (
        "missing",
        {
            "errors": [
                {
                    "message": "Could not resolve to a Repository with the name 'a/b'.",
                    "locations": [{"line": 2, "column": 3}],
                    "path": ["repository"],
                }
            ],
            "data": {"repository": None},
        },
    ),
    "graphql with extensions": (
        "auth",
        {
            "data": None,
            "errors": [{"message": "You must sign in", "extensions": {"code": "UNAUTHENTICATED"}}],
        },
    ),
    "json-rpc": (
        "missing",
        {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"},
    ),
    "xml-rpc": (
        "validation",
        (
            "<?xml version='1.0'?><methodResponse><fault><value><struct><member>"
            "<name>faultCode</name>"
            "<value><int>4</int></value></member><member><name>faultString</name><value><string>"
            "Too "
            "many parameters.</string></value></member></struct></value></fault></methodResponse>"
        ),
    ),
    "soap 1.1": (
        "validation",
        (
            '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
            "<soap:Fault><faultcode>soap:Client</faultcode><faultstring>Invalid message format"
            "</faultstring></soap:Fault></soap:Body></soap:Envelope>"
        ),
    ),
    "soap 1.2": (
        "validation unknown",
        (
            '<env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"><env:Body><env:Fault>'
            "<env:Code><env:Value>env:Sender</env:Value></env:Code><env:Reason><env:Text "
            'xml:lang="en">Malformed purchase order</env:Text></env:Reason></env:Fault></env:Body>'
            "</env:Envelope>"
        ),
    ),
    "fhir": (
        "missing",
        {
            "resourceType": "OperationOutcome",
            "issue": [
                {
                    "severity": "error",
                    "code": "not-found",
                    "diagnostics": "Resource Patient/77 is not known",
                }
            ],
        },
    ),
    "oauth": (
        "auth",
        {"error": "invalid_grant", "error_description": "The refresh token was revoked."},
    ),
    "odata": (
        "missing",
        {
            "error": {
                "code": "ResourceNotFound",
                "message": "The resource could not be found.",
                "innererror": {"date": "2024-01-01T00:00:00", "request-id": "a-b"},
            }
        },
    ),
    "odata v2": (
        "validation",
        {
            "error": {
                "code": "SY/530",
                "message": {"lang": "en", "value": "Invalid value for key field"},
                "innererror": {"transactionid": "ABC", "errordetails": []},
            }
        },
    ),
    "scim": (
        "conflict",
        {
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
            "scimType": "uniqueness",
            "detail": "A user with this name already exists",
            "status": "409",
        },
    ),
    # Clouds.
    "google": (
        "policy",
        {
            "error": {
                "code": 403,
                "message": "The caller does not have permission",
                "status": "PERMISSION_DENIED",
                "errors": [{"domain": "global", "reason": "forbidden", "message": "Forbidden"}],
            }
        },
    ),
    "google rpc": (
        "rate_limit",
        {
            "code": 8,
            "message": "Quota exceeded for quota metric 'Queries'",
            "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "X"}],
        },
    ),
    "google maps": (
        "policy auth",
        {
            "error_message": "The provided API key is not authorized for this service.",
            "results": [],
            "status": "REQUEST_DENIED",
        },
    ),
    "google maps, bare": ("validation", {"candidates": [], "status": "INVALID_REQUEST"}),
    "aws json": (
        "missing",
        {
            "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
            "message": "Requested resource not found",
        },
    ),
    "aws json, capital": (
        "policy",
        {"__type": "AccessDeniedException", "Message": "User is not authorized to perform this"},
    ),
    "aws api gateway": ("policy", {"message": "Missing Authentication Token"}),
    "aws api gateway, forbidden": ("policy", {"message": "Forbidden"}),
    "aws s3": (
        "missing",
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The '
            "specified key does not exist.</Message><Key>a.txt</Key><RequestId>4442587FB7D0A2F9"
            "</RequestId></Error>"
        ),
    ),
    "aws query": (
        "auth policy",
        (
            '<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender'
            "</Type><Code>InvalidClientTokenId</Code><Message>The security token included in the "
            "request is invalid.</Message></Error><RequestId>a</RequestId></ErrorResponse>"
        ),
    ),
    "aws lambda": (
        "tool_exception",
        {
            "errorMessage": "list index out of range",
            "errorType": "IndexError",
            "requestId": "a-b-c",
            "stackTrace": ['  File "/var/task/f.py", line 3, in handler\n    x[3]\n'],
        },
    ),
    "aws step functions": (
        "ambiguous tool_exception unknown",
        {"Error": "States.TaskFailed", "Cause": "The task did not answer"},
    ),
    "azure": (
        "conflict",
        {
            "error": {
                "code": "StorageAccountAlreadyTaken",
                "message": "The storage account named a is already taken.",
                "target": "name",
                "details": [],
            }
        },
    ),
    "azure storage": (
        "missing",
        (
            '\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>ContainerNotFound</Code>'
            "<Message>The specified container does not exist.</Message></Error>"
        ),
    ),
    "kubernetes": (
        "missing",
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": 'pods "web-1" not found',
            "reason": "NotFound",
            "details": {"name": "web-1", "kind": "pods"},
            "code": 404,
        },
    ),
    "cloudflare": (
        "auth",
        {
            "success": False,
            "errors": [{"code": 9109, "message": "Invalid access token"}],
            "messages": [],
            "result": None,
        },
    ),
    "digitalocean": (
        "missing",
        {"id": "not_found", "message": "The resource you were accessing could not be found."},
    ),
    "heroku": (
        "rate_limit",
        {
            "id": "rate_limit",
            "message": "Your account reached the API limit. Please wait a few minutes",
            "url": "https://devcenter.heroku.com/articles/limits",
        },
    ),
    "vault": ("policy", {"errors": ["permission denied"]}),
    "vault, sealed": ("ambiguous unknown", {"errors": ["Vault is sealed"], "warnings": None}),
    "docker": ("missing", {"message": "No such container: web"}),
    "terraform cloud": ("missing", {"errors": [{"status": "404", "title": "not found"}]}),
    "pagerduty": (
        "validation",
        {
            "error": {
                "message": "Invalid Input Provided",
                "code": 2001,
                "errors": ["Title cannot be empty"],
            }
        },
    ),
    # Frameworks.
    "spring": (
        "missing",
        {
            "timestamp": "2024-03-01T10:15:30.000+00:00",
            "status": 404,
            "error": "Not Found",
            "path": "/api/orders/7",
        },
    ),
    "spring, with a trace": (
        "ambiguous tool_exception",
        {
            "timestamp": 1709287200000,
            "status": 500,
            "error": "Internal Server Error",
            "exception": "java.lang.NullPointerException",
            "message": "No message available",
            "path": "/a",
        },
    ),
    "rails": ("missing", {"status": 404, "error": "Not Found"}),
    "rails, full messages": ("validation", {"errors": ["Name can't be blank"]}),
    "rails, by field": ("validation", {"errors": {"email": ["has already been taken"]}}),
    "django rest": (
        "auth",
        {"detail": "Authentication credentials were not provided."},
    ),
    "django rest, by field": (
        "validation",
        {"email": ["Enter a valid email address."], "age": ["This field is required."]},
    ),
    "django rest, non-field": (
        "auth validation",
        {"non_field_errors": ["Unable to log in with provided credentials."]},
    ),
    "laravel": (
        "validation",
        {
            "message": "The given data was invalid.",
            "errors": {"email": ["The email field is required."]},
        },
    ),
    "laravel, unauthenticated": ("auth", {"message": "Unauthenticated."}),
    "laravel, debug": (
        "tool_exception",
        {
            "message": "Undefined variable $user",
            "exception": "ErrorException",
            "file": "/app/Http/Controllers/A.php",
            "line": 12,
            "trace": [{"file": "/app/a.php", "line": 1, "function": "f"}],
        },
    ),
    "fastapi": (
        "validation",
        {
            "detail": [
                {
                    "type": "int_parsing",
                    "loc": ["path", "item_id"],
                    "msg": "Input should be a valid integer",
                    "input": "foo",
                }
            ]
        },
    ),
    "express boom": (
        "validation",
        {"statusCode": 400, "error": "Bad Request", "message": "child name fails"},
    ),
    "nest": (
        "validation",
        {
            "statusCode": 400,
            "message": ["email must be an email", "age must be a number"],
            "error": "Bad Request",
        },
    ),
    "asp.net modelstate": (
        "validation",
        {
            "Message": "The request is invalid.",
            "ModelState": {"user.Email": ["The Email field is required."]},
        },
    ),
    "asp.net core": (
        "validation",
        {
            "type": "https://tools.ietf.org/html/rfc7231#section-6.5.1",
            "title": "One or more validation errors occurred.",
            "status": 400,
            "traceId": "00-a-b-00",
            "errors": {"Email": ["The Email field is required."]},
        },
    ),
    "werkzeug json": (
        "missing",
        {"code": 404, "name": "Not Found", "description": "The requested URL was not found"},
    ),
    "grails hal": (
        "validation",
        {"total": 1, "_embedded": {"errors": [{"message": "Property [a] cannot be null"}]}},
    ),
    "phoenix": ("missing", {"errors": {"detail": "Not Found"}}),
    "hapi lambda proxy": (
        "missing",
        {"statusCode": 404, "body": '{"message": "No item has that id"}', "headers": {}},
    ),
    "trpc": (
        "auth",
        {
            "error": {
                "message": "UNAUTHORIZED",
                "code": -32001,
                "data": {"code": "UNAUTHORIZED", "httpStatus": 401, "path": "post.byId"},
            }
        },
    ),
    "connect": ("missing", {"code": "not_found", "message": "no user has this name"}),
    "flask tuple": ("missing", ({"message": "no such order"}, 404)),
    # Payment and shops.
    "stripe": (
        "rule",
        {
            "error": {
                "code": "card_declined",
                "decline_code": "insufficient_funds",
                "doc_url": "https://stripe.com/docs/error-codes/card-declined",
                "message": "Your card has insufficient funds.",
                "type": "card_error",
            }
        },
    ),
    "paypal": (
        "validation rule",
        {
            "name": "UNPROCESSABLE_ENTITY",
            "details": [
                {"issue": "ORDER_ALREADY_CAPTURED", "description": "Order already captured."}
            ],
            "message": "The requested action could not be performed.",
            "debug_id": "90957fca61718",
            "links": [{"href": "https://developer.paypal.com", "rel": "information_link"}],
        },
    ),
    "paypal, bare": (
        "auth",
        {"name": "AUTHENTICATION_FAILURE", "message": "Sign in again.", "debug_id": "9f"},
    ),
    "adyen": (
        "validation",
        {
            "status": 422,
            "errorCode": "130",
            "message": "Required field 'reference' is not provided.",
            "errorType": "validation",
            "pspReference": "8816",
        },
    ),
    "square": (
        "auth",
        {
            "errors": [
                {
                    "category": "AUTHENTICATION_ERROR",
                    "code": "UNAUTHORIZED",
                    "detail": "This request could not be authorized.",
                }
            ]
        },
    ),
    "braintree text": ("rule validation", "Cannot refund transaction unless it is settled."),
    "shopify map": ("validation", {"errors": {"title": ["can't be blank"]}}),
    "shopify text": ("missing", {"errors": "Not Found"}),
    "shopify graphql": (
        "validation",
        {
            "data": {
                "productCreate": {
                    "product": None,
                    "userErrors": [{"field": ["title"], "message": "Title can't be blank"}],
                }
            }
        },
    ),
    "ebay": (
        "missing",
        {
            "errors": [
                {
                    "errorId": 11001,
                    "domain": "API_BROWSE",
                    "category": "REQUEST",
                    "message": "The specified item Id was not found.",
                    "longMessage": "The specified item Id was not found.",
                }
            ]
        },
    ),
    "ebay trading": (
        "auth",
        (
            "<?xml version='1.0'?><GetItemResponse xmlns='urn:ebay:apis:eBLBaseComponents'>"
            "<Ack>Failure</Ack><Errors><ShortMessage>Auth token is invalid.</ShortMessage>"
            "<ErrorCode>"
            "931</ErrorCode></Errors></GetItemResponse>"
        ),
    ),
    "woocommerce": (
        "missing",
        {
            "code": "woocommerce_rest_shop_order_invalid_id",
            "message": "Invalid ID.",
            "data": {"status": 404},
        },
    ),
    "magento": (
        "missing",
        {
            "message": 'No such entity with %fieldName = %fieldValue"',
            "parameters": {"fieldName": "id", "fieldValue": 7},
        },
    ),
    "mollie": (
        "missing",
        {
            "status": 404,
            "title": "Not Found",
            "detail": "No payment exists with token tr_7.",
            "_links": {"documentation": {"href": "https://docs", "type": "text/html"}},
        },
    ),
    "razorpay": (
        "validation",
        {
            "error": {
                "code": "BAD_REQUEST_ERROR",
                "description": "The amount must be at least INR 1.00",
                "source": "business",
                "step": "payment_initiation",
                "reason": "input_validation_failed",
            }
        },
    ),
    "checkout.com": (
        "validation",
        {
            "request_id": "0HL80RJLS76I7",
            "error_type": "request_invalid",
            "error_codes": ["payment_source_required"],
        },
    ),
    "plaid": (
        "auth rule",
        {
            "display_message": None,
            "error_code": "ITEM_LOGIN_REQUIRED",
            "error_message": "the login details of this item have changed",
            "error_type": "ITEM_ERROR",
            "request_id": "HNTDNrA8F1shFEW",
        },
    ),
    # Talk, mail and phone.
    "twilio": (
        "validation",
        {
            "code": 21211,
            "message": "The 'To' number +1555 is not a valid phone number.",
            "more_info": "https://www.twilio.com/docs/errors/21211",
            "status": 400,
        },
    ),
    "slack": ("missing", {"ok": False, "error": "channel_not_found"}),
    "slack with scopes": (
        "policy",
        {"ok": False, "error": "missing_scope", "needed": "chat:write", "provided": "users:read"},
    ),
    "telegram": (
        "missing",
        {"ok": False, "error_code": 400, "description": "Bad Request: chat not found"},
    ),
    "discord": ("policy", {"message": "Missing Access", "code": 50001}),
    "discord, limited": (
        "rate_limit",
        {"message": "You are being rate limited.", "retry_after": 0.6, "global": False},
    ),
    "discord, form": (
        "validation",
        {
            "code": 50035,
            "errors": {"content": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "r"}]}},
            "message": "Invalid Form Body",
        },
    ),
    "sendgrid": (
        "auth policy",
        {
            "errors": [
                {
                    "message": "The provided authorization grant is invalid or revoked",
                    "field": None,
                    "help": None,
                }
            ]
        },
    ),
    "mailchimp": (
        "missing",
        {
            "type": "https://mailchimp.com/developer/marketing/docs/errors/",
            "title": "Resource Not Found",
            "status": 404,
            "detail": "The requested resource could not be found.",
            "instance": "a-b",
        },
    ),
    "mandrill": (
        "auth",
        {"status": "error", "code": -1, "name": "Invalid_Key", "message": "Invalid API key"},
    ),
    "mailgun": ("validation", {"message": "'from' parameter is not a valid address."}),
    "whatsapp": (
        "policy auth validation",
        {
            "error": {
                "message": "(#10) Application does not have permission for this action",
                "type": "OAuthException",
                "code": 10,
                "fbtrace_id": "Az8or2yhqkZfEZ",
            }
        },
    ),
    "zoom": ("missing", {"code": 3001, "message": "Meeting does not exist: 7."}),
    "intercom": (
        "auth",
        {
            "type": "error.list",
            "request_id": "b2",
            "errors": [{"code": "unauthorized", "message": "Access Token Invalid"}],
        },
    ),
    "zendesk": (
        "missing",
        {"error": "RecordNotFound", "description": "Not found"},
    ),
    "zendesk details": (
        "validation",
        {
            "error": "RecordInvalid",
            "description": "Record validation errors",
            "details": {"value": [{"type": "blank", "description": "can't be blank"}]},
        },
    ),
    "hubspot": (
        "missing",
        {
            "status": "error",
            "message": "resource not found",
            "correlationId": "a-b",
            "category": "OBJECT_NOT_FOUND",
        },
    ),
    "front": (
        "missing",
        {"_error": {"status": 404, "title": "Not found", "message": "Unknown conversation"}},
    ),
    # Business.
    "salesforce": (
        "validation",
        [
            {
                "message": "Required fields are missing: [LastName]",
                "errorCode": "REQUIRED_FIELD_MISSING",
                "fields": ["LastName"],
            }
        ],
    ),
    "salesforce composite": (
        "validation",
        {
            "id": None,
            "success": False,
            "errors": [{"statusCode": "MALFORMED_ID", "message": "bad id 7", "fields": ["Id"]}],
        },
    ),
    "jira": (
        "missing",
        {"errorMessages": ["Issue does not exist or you do not have access"], "errors": {}},
    ),
    "jira, fields": (
        "validation",
        {"errorMessages": [], "errors": {"project": "project is required"}},
    ),
    "confluence": (
        "missing",
        {
            "statusCode": 404,
            "data": {"authorized": False, "valid": True, "errors": [], "successful": False},
            "message": "No content found with id : ContentId{id=7}",
        },
    ),
    "bitbucket": (
        "missing",
        {"type": "error", "error": {"message": "Repository a/b not found"}},
    ),
    "github": (
        "missing",
        {"message": "Not Found", "documentation_url": "https://docs.github.com/rest"},
    ),
    "github, validation": (
        "validation conflict",
        {
            "message": "Validation Failed",
            "errors": [{"resource": "Issue", "code": "missing_field", "field": "title"}],
            "documentation_url": "https://docs.github.com/rest",
            "status": "422",
        },
    ),
    "github, credentials": (
        "auth",
        {
            "message": "Bad credentials",
            "documentation_url": "https://docs.github.com/rest",
            "status": "401",
        },
    ),
    "gitlab": ("missing", {"message": "404 Project Not Found"}),
    "gitlab, scope": (
        "policy",
        {
            "error": "insufficient_scope",
            "error_description": "The request requires higher privileges than provided.",
            "scope": "api",
        },
    ),
    "gitlab, by field": ("conflict validation", {"message": {"name": ["has already been taken"]}}),
    "notion": (
        "missing",
        {
            "object": "error",
            "status": 404,
            "code": "object_not_found",
            "message": "Could not find page with ID: a-b.",
            "request_id": "a",
        },
    ),
    "airtable": (
        "missing",
        {"error": {"type": "MODEL_ID_NOT_FOUND", "message": "Could not find what you asked"}},
    ),
    "airtable, bare": ("missing", {"error": "NOT_FOUND"}),
    "asana": (
        "missing",
        {
            "errors": [
                {
                    "message": "project: Unknown object: 1",
                    "help": "For more information, see https://developers.asana.com",
                }
            ]
        },
    ),
    "trello text": ("validation", "invalid id"),
    "trello key": ("auth", "invalid key"),
    "clickup": ("auth policy", {"err": "Team not authorized", "ECODE": "OAUTH_027"}),
    "monday": (
        "validation",
        {
            "error_code": "ColumnValueException",
            "status_code": 200,
            "error_message": "invalid value",
            "error_data": {"column_id": "date"},
        },
    ),
    "okta": (
        "missing",
        {
            "errorCode": "E0000007",
            "errorSummary": "Not found: Resource not found: 7 (User)",
            "errorLink": "E0000007",
            "errorId": "oae",
            "errorCauses": [],
        },
    ),
    "auth0": (
        "missing",
        {
            "statusCode": 404,
            "error": "Not Found",
            "message": "The user does not exist.",
            "errorCode": "inexistent_user",
        },
    ),
    "dropbox": (
        "missing",
        {"error_summary": "path/not_found/..", "error": {".tag": "path", "path": {".tag": "x"}}},
    ),
    "dropbox sign": (
        "policy",
        {"error": {"error_msg": "This resource is not accessible.", "error_name": "forbidden"}},
    ),
    "box": (
        "missing",
        {
            "type": "error",
            "status": 404,
            "code": "not_found",
            "context_info": {"errors": [{"reason": "invalid_parameter", "name": "folder"}]},
            "help_url": "http://developers.box.com/docs/#errors",
            "message": "Not Found",
            "request_id": "a",
        },
    ),
    "sap concur": (
        "validation",
        {"errorMessage": "Report name is too long", "errorId": "A-7", "httpStatus": "400 BAD"},
    ),
    "servicenow": (
        "missing",
        {
            "error": {"message": "No Record found", "detail": "Record doesn't exist"},
            "status": "failure",
        },
    ),
    "netsuite": (
        "validation",
        {
            "type": "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.1",
            "title": "Bad Request",
            "status": 400,
            "o:errorDetails": [{"detail": "Invalid key", "o:errorCode": "INVALID_PARAMETER"}],
        },
    ),
    "quickbooks": (
        "validation",
        {
            "Fault": {
                "Error": [{"Message": "Required param missing", "Detail": "Line", "code": "2020"}],
                "type": "ValidationFault",
            },
            "time": "2024-01-01T00:00:00",
        },
    ),
    "xero": (
        "validation",
        {
            "ErrorNumber": 10,
            "Type": "ValidationException",
            "Message": "A validation exception occurred",
            "Elements": [{"ValidationErrors": [{"Message": "Email address must be valid."}]}],
        },
    ),
    "docusign": (
        "missing",
        {"errorCode": "ENVELOPE_DOES_NOT_EXIST", "message": "The envelope ID is not known."},
    ),
    "zoho": (
        "validation",
        {
            "data": [
                {
                    "code": "MANDATORY_NOT_FOUND",
                    "details": {"api_name": "Last_Name"},
                    "message": "required field not found",
                    "status": "error",
                }
            ]
        },
    ),
    "bitrix": (
        "auth",
        {"error": "expired_token", "error_description": "The access token provided has expired."},
    ),
    "activecampaign": (
        "validation",
        {"errors": [{"title": "Email is not valid.", "source": {"pointer": "/data/email"}}]},
    ),
    "linkedin": (
        "policy",
        {"serviceErrorCode": 100, "message": "Not enough permissions to access: ME", "status": 403},
    ),
    "twitter v1": ("missing", {"errors": [{"code": 34, "message": "that page is not there"}]}),
    "twitter v2": (
        "missing",
        {
            "errors": [
                {
                    "value": "7",
                    "detail": "Could not find tweet with id: [7].",
                    "title": "Not Found Error",
                    "resource_type": "tweet",
                    "type": "https://api.twitter.com/2/problems/resource-not-found",
                }
            ]
        },
    ),
    "reddit": ("policy", {"reason": "private", "message": "Forbidden", "error": 403}),
    "spotify": ("missing", {"error": {"status": 404, "message": "Non existing id"}}),
    "twitch": ("auth", {"error": "Unauthorized", "status": 401, "message": "OAuth needed"}),
    "tmdb": (
        "missing",
        {
            "success": False,
            "status_code": 34,
            "status_message": "The resource you requested could not be found.",
        },
    ),
    "omdb": ("missing", {"Response": "False", "Error": "Movie not found!"}),
    "openweather": ("missing", {"cod": "404", "message": "city not found"}),
    "weatherapi": (
        "missing",
        {"error": {"code": 1006, "message": "No matching location found."}},
    ),
    "alpha vantage": (
        "validation",
        {"Error Message": "Invalid API call. Please retry or visit the documentation"},
    ),
    "binance": ("validation", {"code": -1121, "msg": "Invalid symbol."}),
    "kraken": ("validation", {"error": ["EGeneral:Invalid arguments"]}),
    "okx": ("auth", {"code": "50111", "msg": "Invalid OK-ACCESS-KEY", "data": []}),
    "alipay": (
        "validation",
        {
            "alipay_trade_query_response": {
                "code": "40004",
                "msg": "Business Failed",
                "sub_code": "ACQ.TRADE_NOT_EXIST",
                "sub_msg": "the trade is not there",
            }
        },
    ),
    "wechat": ("auth", {"errcode": 40001, "errmsg": "invalid credential"}),
    "feishu": ("validation", {"code": 99991663, "msg": "Invalid parameter", "data": {}}),
    "baidu": ("auth validation", {"error_code": 110, "error_msg": "Access token invalid"}),
    "yandex": (
        "missing",
        {
            "error": "DiskNotFoundError",
            "description": "Resource not found.",
            "message": "Не найден",
        },
    ),
    "vk": (
        "auth",
        {
            "error": {
                "error_code": 5,
                "error_msg": "User authorization failed",
                "request_params": [],
            }
        },
    ),
    "tomtom": (
        "validation",
        {"formatVersion": "0.0.12", "detailedError": {"code": "BAD", "message": "Bad point"}},
    ),
    "here": (
        "validation",
        {
            "title": "Malformed request",
            "status": 400,
            "code": "E605001",
            "cause": "Check failed",
            "action": "Fix the request",
        },
    ),
    "mapbox": ("validation", {"code": "InvalidInput", "message": "Coordinates is too short"}),
    "osrm": ("missing unknown rule", {"code": "NoRoute", "message": "Impossible route"}),
    "nominatim": (
        "validation",
        {"error": {"code": 400, "message": "Parameter 'lat' missing."}},
    ),
    "wikipedia": (
        "missing",
        {
            "error": {
                "code": "missingtitle",
                "info": "The page you specified doesn't exist.",
                "*": "See https://en.wikipedia.org/w/api.php",
            },
            "servedby": "mw1",
        },
    ),
    "wikimedia rest": (
        "missing",
        {
            "httpCode": 404,
            "httpReason": "Not Found",
            "messageTranslations": {"en": "The specified title (X) does not exist"},
        },
    ),
    # Models.
    "openai": (
        "auth",
        {
            "error": {
                "message": "Incorrect API key provided: sk-a.",
                "type": "invalid_request_error",
                "param": None,
                "code": "invalid_api_key",
            }
        },
    ),
    "anthropic": (
        "ambiguous rate_limit",
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ),
    "hugging face": (
        "ambiguous",
        {"error": "Model a/b is currently loading", "estimated_time": 20.0},
    ),
    "cohere": ("validation", {"message": "invalid request: list of documents must not be empty"}),
    "replicate": (
        "auth",
        {"title": "Unauthenticated", "detail": "You did not pass a token", "status": 401},
    ),
    # Databases and search.
    "elasticsearch": (
        "missing",
        {
            "error": {
                "root_cause": [{"type": "index_not_found_exception", "reason": "no such index"}],
                "type": "index_not_found_exception",
                "reason": "no such index [a]",
            },
            "status": 404,
        },
    ),
    "couchdb": ("missing", {"error": "not_found", "reason": "missing"}),
    "mongo": (
        "auth",
        {"ok": 0, "errmsg": "Authentication failed.", "code": 18, "codeName": "AuthFailed"},
    ),
    "clickhouse": (
        "missing",
        "Code: 60. DB::Exception: Table default.t does not exist. (UNKNOWN_TABLE) (version 24.1)",
    ),
    "solr": (
        "validation",
        {
            "responseHeader": {"status": 400, "QTime": 1},
            "error": {"metadata": ["error-class", "x"], "msg": "undefined field a", "code": 400},
        },
    ),
    "redis": (
        "validation",
        "WRONGTYPE Operation against a key holding the wrong kind of value",
    ),
    "redis, reply": ("validation", "(error) ERR unknown command 'FOO'"),
    "postgrest": (
        "missing",
        {
            "code": "42P01",
            "details": None,
            "hint": None,
            "message": 'relation "public.a" does not exist',
        },
    ),
    "postgres text": ("missing validation", 'ERROR:  column "a" does not exist\nLINE 1: select a'),
    "mysql text": (
        "missing",
        "ERROR 1146 (42S02): Table 'a.b' doesn't exist",
    ),
    "sqlite text": ("missing", "Error: no such table: users"),
    "hasura": (
        "validation",
        {"path": "$.a", "error": "query is not in any allow-list", "code": "validation-failed"},
    ),
    "algolia": ("missing", {"message": "Index a does not exist", "status": 404}),
    "supabase storage": (
        "missing",
        {"statusCode": "404", "error": "not_found", "message": "Object not found"},
    ),
    "firebase": ("policy", {"error": "Permission denied"}),
    "influx": ("missing", {"code": "not found", "message": 'bucket "a" not found'}),
    "prometheus": (
        "validation",
        {"status": "error", "errorType": "bad_data", "error": "parse error: unexpected end"},
    ),
    "grafana": ("missing", {"message": "Dashboard not found", "status": "not-found"}),
    # Text and pages.
    "nginx": (
        "ambiguous",
        (
            "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<center><h1>502 "
            "Bad Gateway"
            "</h1></center>\n<hr><center>nginx/1.18.0</center>\n</body>\n</html>"
        ),
    ),
    "apache": (
        "missing",
        (
            '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>404 Not Found'
            "</title>\n</head><body>\n<h1>Not Found</h1>\n</body></html>"
        ),
    ),
    "express html": (
        "missing",
        (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>'
            "Error</title>\n"
            "</head>\n<body>\n<pre>Cannot GET /api/x</pre>\n</body>\n</html>"
        ),
    ),
    "tomcat": (
        "ambiguous tool_exception",
        (
            '<!doctype html><html lang="en"><head><title>HTTP Status 500 – Internal Server Error'
            "</title></head><body><h1>HTTP Status 500</h1></body></html>"
        ),
    ),
    "iis": (
        "ambiguous",
        (
            "<!DOCTYPE html><html><head><title>Service Unavailable</title></head><body><h2>Service "
            "Unavailable</h2><hr><p>HTTP Error 503. The service is unavailable.</p></body></html>"
        ),
    ),
    "plain": ("ambiguous", "upstream connect error or disconnect/reset before headers"),
    "plain, limited": ("rate_limit", "Rate limit exceeded. Try again in 30 seconds."),
    "plain, refused": ("policy", "You do not have permission to view this directory or page."),
    "dns": ("not_sent", "getaddrinfo ENOTFOUND api.example.com"),
    "node": ("not_sent", "connect ECONNREFUSED 127.0.0.1:5432"),
    "go": (
        "not_sent",
        'Get "https://a.example/x": dial tcp: lookup a.example: no such host',
    ),
    "ssl": (
        "not_sent",
        "SSL certificate problem: certificate has expired",
    ),
    # Conventions of houses.
    "success false": ("missing", {"success": False, "message": "No such order"}),
    "success false, error object": (
        "validation",
        {"success": False, "error": {"code": 104, "info": "Your request format is not valid."}},
    ),
    "status error": ("validation", {"status": "error", "message": "Bad day"}),
    "status fail": ("validation", {"status": "fail", "data": {"title": "A title is required"}}),
    "status code": ("missing", {"status": {"code": 404, "message": "no such thing"}}),
    "result code": (
        "validation",
        {"resultCode": "INVALID_INPUT", "resultMessage": "Date is wrong", "result": None},
    ),
    "ret code": ("auth", {"retCode": 10003, "retMsg": "API key is invalid.", "result": {}}),
    "return value": (
        "missing unknown",
        {"returnCode": "ERROR", "returnMessage": "no such mailbox"},
    ),
    "header and body": (
        "auth",
        {
            "response": {
                "header": {"resultCode": "30", "resultMsg": "SERVICE KEY IS NOT REGISTERED"},
                "body": None,
            }
        },
    ),
    "meta": (
        "missing",
        {
            "meta": {"code": 404, "errorType": "param_error", "errorDetail": "unknown venue"},
            "response": {},
        },
    ),
    "problems": (
        "validation",
        {"problems": [{"field": "date", "message": "must be in the future"}], "valid": None},
    ),
    "failure": ("conflict", {"failure": {"reason": "slot_taken", "message": "already booked"}}),
    "reason only": ("rule unknown", {"success": False, "reason": "closed on Sundays"}),
    "boolean and text": ("missing", {"error": True, "message": "no such room"}),
    "text and code": ("missing", {"error": "No such room", "code": 404}),
    "spanish": ("missing", {"codigo": 404, "mensaje": "No se ha encontrado el pedido"}),
    "german": ("missing", {"fehler": "Bestellung nicht gefunden"}),
    "exception name": (
        "validation",
        {"exception": "ValidationException", "message": "the date is wrong"},
    ),
    "fault by name": (
        "rule policy",
        {"faultCode": "LOCKED", "faultMessage": "This account is locked"},
    ),
    # Of many trades.
    "bunq": (
        "validation",
        {
            "Error": [
                {
                    "error_description": "The field amount is required.",
                    "error_description_translated": "Het veld is verplicht.",
                }
            ]
        },
    ),
    "klarna": (
        "validation",
        {
            "correlation_id": "a-b",
            "error_code": "BAD_VALUE",
            "error_messages": ["Bad value: order_amount"],
        },
    ),
    "vimeo": (
        "auth",
        {
            "error": "You must provide a valid authenticated access token.",
            "link": None,
            "developer_message": "No user credentials were provided.",
            "error_code": 8003,
        },
    ),
    "yodlee": (
        "validation",
        {"errorCode": "Y800", "errorMessage": "Invalid value for loginName", "referenceCode": "u1"},
    ),
    "nytimes": (
        "auth",
        {
            "fault": {
                "faultstring": "Invalid ApiKey",
                "detail": {"errorcode": "oauth.v2.InvalidApiKey"},
            }
        },
    ),
    "exavault": (
        "validation",
        {
            "responseStatus": 400,
            "errors": [{"code": "ERROR_INVALID_PARAMETER", "detail": "The path is wrong"}],
        },
    ),
    "optimade": (
        "validation",
        {
            "errors": [{"detail": "bad filter", "status": "400", "title": "Bad Request"}],
            "meta": {
                "api_version": "1.0",
                "query": {"representation": "/x"},
                "more_data_available": False,
            },
        },
    ),
    "shipengine": (
        "validation",
        {
            "request_id": "a",
            "errors": [
                {
                    "error_source": "carrier",
                    "error_type": "validation",
                    "error_code": "unspecified",
                    "message": "postal code needed",
                }
            ],
        },
    ),
    "bungie": (
        "ambiguous unknown policy",
        {
            "ErrorCode": 5,
            "ThrottleSeconds": 0,
            "ErrorStatus": "SystemDisabled",
            "Message": "This system is temporarily disabled for maintenance.",
            "MessageData": {},
        },
    ),
    "callfire": (
        "validation",
        {
            "httpStatusCode": 400,
            "internalCode": 6001,
            "message": "phone number malformed",
            "developerMessage": "see docs",
            "params": {},
        },
    ),
    "faceplusplus": (
        "validation",
        {"time_used": 3, "error_message": "MISSING_ARGUMENTS: image_url", "request_id": "146"},
    ),
    "weatherbit": ("auth", {"error": "API Key is required."}),
    "wavecell": (
        "validation",
        {
            "code": 1002,
            "message": "Invalid MSISDN format",
            "errorId": "a-b",
            "timestamp": "2024-01-01T00:00:00Z",
        },
    ),
    "polygon": ("auth", {"status": "ERROR", "request_id": "a", "error": "Unknown API Key"}),
    "stackexchange": (
        "missing",
        {
            "error_id": 404,
            "error_message": "no method found with this name",
            "error_name": "no_method",
        },
    ),
    "flickr": (
        "auth",
        {"stat": "fail", "code": 100, "message": "Invalid API Key (Key has invalid format)"},
    ),
    "uber": (
        "conflict",
        {
            "meta": {},
            "errors": [{"status": 409, "code": "surge", "title": "Surge pricing is in effect."}],
        },
    ),
    "yelp": (
        "auth",
        {
            "error": {
                "code": "TOKEN_INVALID",
                "description": "Invalid access token or authorization header.",
            }
        },
    ),
    "walmart": (
        "validation",
        {
            "error": [
                {
                    "code": "INVALID_REQUEST_PARAM.GMP",
                    "field": "sku",
                    "description": "sku is missing",
                    "info": "",
                    "severity": "ERROR",
                    "category": "DATA",
                    "causes": [],
                }
            ]
        },
    ),
    "taxjar": (
        "validation unknown",
        {"status": 406, "error": "Not Acceptable", "detail": "transaction_id should be unique"},
    ),
    "postmark": (
        "policy",
        {"ErrorCode": 405, "Message": "Not allowed to send: the account has run out of credits."},
    ),
    "lob": (
        "missing",
        {"error": {"message": "address not found", "status_code": 404, "code": "not_found"}},
    ),
    "giphy": (
        "auth",
        {
            "data": [],
            "meta": {"status": 401, "msg": "No API key found in request.", "response_id": ""},
        },
    ),
    "soundcloud": ("missing", {"errors": [{"error_message": "404 - Not Found"}]}),
    "travis": (
        "missing",
        {
            "@type": "error",
            "error_type": "not_found",
            "error_message": "repository not found (or insufficient access)",
        },
    ),
    "keycloak": ("conflict", {"errorMessage": "User exists with same username"}),
    "neo4j": (
        "validation",
        {
            "results": [],
            "errors": [
                {"code": "Neo.ClientError.Statement.SyntaxError", "message": "Invalid input 'T'"}
            ],
        },
    ),
    "marvel": (
        "auth",
        {
            "code": "InvalidCredentials",
            "message": "That hash, timestamp and key combination is invalid.",
        },
    ),
    "marvel number": (
        "conflict validation rule",
        {"code": 409, "status": "You may not request more than 100 items."},
    ),
    "lastfm": (
        "auth",
        {
            "error": 10,
            "message": "Invalid API Key - You must be granted a valid key by last.fm",
            "links": [],
        },
    ),
    "arcgis": ("auth", {"error": {"code": 498, "message": "Invalid Token", "details": []}}),
    "geonames": ("missing", {"status": {"message": "user does not exist.", "value": 10}}),
    "ipstack": (
        "auth",
        {
            "success": False,
            "error": {
                "code": 101,
                "type": "missing_access_key",
                "info": "You have not supplied an API Access Key.",
            },
        },
    ),
    "openexchangerates": (
        "auth",
        {
            "error": True,
            "status": 401,
            "message": "invalid_app_id",
            "description": "Invalid App ID provided.",
        },
    ),
    "yii": (
        "missing",
        {
            "name": "Not Found",
            "message": "Page not found.",
            "code": 0,
            "status": 404,
            "type": "yii\\web\\NotFoundHttpException",
        },
    ),
    "yii, short": ("missing", {"name": "Not Found", "message": "", "code": 0, "status": 404}),
    "cakephp": ("missing", {"message": "Not Found", "url": "/x", "code": 404}),
    "api platform": (
        "missing",
        {
            "@context": "/contexts/Error",
            "@type": "hydra:Error",
            "hydra:title": "An error occurred",
            "hydra:description": "Not Found",
        },
    ),
    "sails": (
        "validation",
        {
            "code": "E_VALIDATION",
            "details": "Invalid attributes sent to user",
            "problems": ['"email" is required'],
        },
    ),
    "feathers": (
        "missing",
        {
            "name": "NotFound",
            "message": "No record found for id '1'",
            "code": 404,
            "className": "not-found",
            "errors": {},
        },
    ),
    "parse": ("missing", {"code": 101, "error": "object not found"}),
    "wordpress": (
        "missing",
        {
            "code": "rest_no_route",
            "message": "No route was found matching the URL and request method",
            "data": {"status": 404},
        },
    ),
    "liferay": (
        "missing",
        {
            "exception": "No Organization exists with the primary key 7",
            "throwable": "com.liferay.NoSuchOrganizationException: No Organization exists",
        },
    ),
    "odoo": (
        "ambiguous tool_exception",
        {
            "jsonrpc": "2.0",
            "error": {"code": 200, "message": "Odoo Server Error", "data": {"name": "x"}},
        },
    ),
    "viator": (
        "validation",
        {
            "errorMessageText": ["Invalid product code"],
            "success": False,
            "errorReference": "~7",
            "data": None,
            "dateStamp": "2024",
            "errorType": "EXCEPTION",
            "errorCodes": ["7"],
            "errorName": "Problem",
            "extraInfo": {},
            "vmid": "1",
        },
    ),
    "rev.ai": (
        "validation",
        {
            "parameters": {"media_url": ["The media_url field is required"]},
            "type": "https://www.rev.ai/api/v1/errors/invalid-parameters",
            "title": "Your request parameters didn't validate",
            "status": 400,
        },
    ),
    "open banking": (
        "validation",
        {
            "Code": "400 BadRequest",
            "Id": "a-b",
            "Message": "Bad Request",
            "Errors": [
                {
                    "ErrorCode": "UK.OBIE.Field.Invalid",
                    "Message": "bad amount",
                    "Path": "Data.Amount",
                    "Url": "",
                }
            ],
        },
    ),
    "berlin group": (
        "missing",
        {
            "tppMessages": [
                {
                    "category": "ERROR",
                    "code": "CONSENT_UNKNOWN",
                    "text": "The consent is not known",
                    "path": "",
                }
            ]
        },
    ),
    "tmf": (
        "missing",
        {
            "code": "60",
            "reason": "Resource not found",
            "message": "no order with this id",
            "status": "404",
            "@type": "Error",
        },
    ),
    "camara": (
        "validation",
        {"status": 400, "code": "INVALID_ARGUMENT", "message": "Client specified a wrong argument"},
    ),
    "amadeus": (
        "validation",
        {
            "errors": [
                {
                    "status": 400,
                    "code": 477,
                    "title": "INVALID FORMAT",
                    "detail": "bad airline",
                    "source": {"parameter": "airline"},
                }
            ]
        },
    ),
    "sabre": (
        "validation",
        {
            "status": "NotProcessed",
            "errorCode": "ERR.2SG.CLIENT.INVALID_REQUEST",
            "type": "Validation",
            "timeStamp": "2024-01-01T00:00:00",
            "message": "Origin is not valid",
        },
    ),
    "ups": (
        "rate_limit",
        {"response": {"errors": [{"code": "10429", "message": "Too Many Requests"}]}},
    ),
    "pubmed": (
        "rate_limit",
        {"error": "API rate limit exceeded", "api-key": "1.2.3.4", "count": "4", "limit": "3"},
    ),
    "nasa": (
        "validation",
        {
            "code": 400,
            "msg": "time data '7' does not match format '%Y-%m-%d'",
            "service_version": "v1",
        },
    ),
    "fda": ("missing", {"error": {"code": "NOT_FOUND", "message": "No matches found!"}}),
    "census": ("validation", "error: unknown variable 'X'"),
    "worldbank": (
        "validation",
        [
            {
                "message": [
                    {
                        "id": "120",
                        "key": "Invalid value",
                        "value": "The provided parameter value is not valid",
                    }
                ]
            }
        ],
    ),
    "eurostat": (
        "validation",
        {"error": [{"status": 400, "id": 100, "label": "No dataset with this code"}]},
    ),
    "weather.gov": (
        "missing",
        {
            "correlationId": "a",
            "title": "Data Unavailable For Requested Point",
            "type": "https://api.weather.gov/problems/InvalidPoint",
            "status": 404,
            "detail": "Unable to provide data for requested point 1,1",
            "instance": "https://a",
        },
    ),
    "coinbase": ("missing", {"errors": [{"id": "not_found", "message": "Not found"}]}),
    "coinbase, short": ("missing", {"message": "NotFound"}),
    "coingecko": (
        "rate_limit",
        {
            "status": {
                "error_code": 429,
                "error_message": "You've exceeded the Rate Limit. Please visit the site",
            }
        },
    ),
    "coinmarketcap": (
        "auth",
        {
            "status": {
                "timestamp": "2024-01-01T00:00:00Z",
                "error_code": 1001,
                "error_message": "This API Key is invalid.",
                "elapsed": 0,
                "credit_count": 0,
            }
        },
    ),
    "bitfinex": ("validation", ["error", 10020, "symbol: invalid"]),
    "kucoin": ("validation", {"code": "400100", "msg": "Parameter Error"}),
    "etherscan": ("auth", {"status": "0", "message": "NOTOK", "result": "Invalid API Key"}),
    "ninja": ("auth", {"message": "Unauthorized request: signature missing"}),
    "sms gateway": (
        "validation",
        {
            "messages": [
                {"status": {"groupName": "REJECTED", "description": "Destination not registered"}}
            ],
            "requestError": None,
        },
    ),
    "infobip": (
        "auth",
        {
            "requestError": {
                "serviceException": {"messageId": "UNAUTHORIZED", "text": "Invalid login details"}
            }
        },
    ),
    "parlay": (
        "missing policy",
        {
            "requestError": {
                "policyException": {"messageId": "POL0001", "text": "no subscription known"}
            }
        },
    ),
    "workfront": (
        "validation",
        {"error": {"class": "java.lang.IllegalArgumentException", "message": "bad field"}},
    ),
    "redmine": ("validation", {"errors": ["Subject can't be blank"]}),
    "youtrack": (
        "missing",
        {"error": "Not Found", "error_description": "Entity with id 7 not found"},
    ),
    "teamcity text": (
        "missing",
        "Responding with error, status code: 404 (Not Found).\nDetails: No build type is found",
    ),
    "sonarqube": ("missing", {"errors": [{"msg": "Component key 'a' not found"}]}),
    "jenkins": ("policy", {"error": {"code": 403, "status": "FORBIDDEN"}}),
    "artifactory": ("missing", {"errors": [{"status": 404, "message": "File not found."}]}),
    "npm": ("missing", {"error": "Not found"}),
    "npm code": ("missing", {"code": "ResourceNotFound", "message": "/a does not exist"}),
    "docker registry": (
        "auth",
        {
            "errors": [
                {
                    "code": "UNAUTHORIZED",
                    "message": "authentication required",
                    "detail": [{"Type": "repository"}],
                }
            ]
        },
    ),
    "consul text": ("policy", "Permission denied: anonymous token lacks permission 'key:read'"),
    "etcd": ("missing", {"errorCode": 100, "message": "Key not found", "cause": "/a", "index": 7}),
    "rabbitmq": ("missing", {"error": "Object Not Found", "reason": "Not Found"}),
    "nomad text": ("missing", "job not found"),
    "pinecone": (
        "validation",
        {
            "code": 3,
            "message": "Vector dimension 3 does not match the dimension of the index 4",
            "details": [],
        },
    ),
    "qdrant": (
        "missing",
        {"status": {"error": "Not found: Collection `a` doesn't exist!"}, "time": 0.0001},
    ),
    "weaviate": ("validation", {"error": [{"message": "invalid object: no such class"}]}),
    "milvus": ("missing", {"code": 100, "message": "collection not found[collection=a]"}),
    "snowflake": (
        "missing",
        {
            "code": "002003",
            "message": "SQL compilation error:\nTable 'A' does not exist or not authorized.",
            "sqlState": "42S02",
            "statementHandle": "01",
        },
    ),
    "databricks": (
        "missing",
        {"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "No job has this id"},
    ),
    "bigquery": (
        "missing",
        {
            "error": {
                "errors": [
                    {"domain": "global", "reason": "notFound", "message": "Not found: Table a"}
                ],
                "code": 404,
                "message": "Not found: Table a",
            }
        },
    ),
    "graphql hasura": (
        "validation",
        {
            "errors": [
                {
                    "message": "field 'a' not found in type: 'query_root'",
                    "extensions": {"path": "$.a", "code": "validation-failed"},
                }
            ]
        },
    ),
    "mcp text": ("validation", "Input validation error: 'path' is a required property"),
    "mcp tool": ("missing", "Tool 'x' not found"),
    "langchain": ("validation", "Error: read_file is not a valid tool, try one of [a, b]."),
    "bot": ("auth", "Please log in to continue."),
    "java": (
        "tool_exception",
        'java.lang.NullPointerException: Cannot invoke "String.length()" because it is null',
    ),
    "js": (
        "tool_exception",
        "Uncaught TypeError: Cannot read properties of undefined (reading 'x')",
    ),
    "rust": ("tool_exception", "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds"),
    "openstreetmap": (
        "validation",
        "The maximum bbox size is 0.25, and your request was too large.",
    ),
    "figma": ("missing", {"status": 404, "err": "Not found"}),
    "segment": (
        "validation",
        {"errors": [{"type": "bad-request", "message": "Unknown source: a", "field": "source"}]},
    ),
    "contentful": (
        "missing",
        {
            "sys": {"type": "Error", "id": "NotFound"},
            "message": "The resource could not be found.",
            "requestId": "a",
        },
    ),
    "contentful auth": (
        "auth",
        {
            "sys": {"type": "Error", "id": "AccessTokenInvalid"},
            "message": "The access token you sent could not be found or is invalid.",
            "requestId": "a",
        },
    ),
    "sanity": (
        "validation",
        {
            "error": {
                "description": "expected '}' following object body",
                "query": "*[",
                "start": 0,
                "end": 2,
                "type": "queryParseError",
            }
        },
    ),
    "typeform": (
        "missing",
        {"code": "FORM_NOT_FOUND", "description": "Non existing form with uid a"},
    ),
    "webflow": (
        "missing",
        {
            "msg": "Cannot find site",
            "code": 404,
            "name": "ItemNotFound",
            "path": "/sites/7",
            "err": "ItemNotFound: Cannot find site",
        },
    ),
    "wix": (
        "policy",
        {
            "message": "Permission denied for tenant",
            "details": {"applicationError": {"code": "403", "description": "x", "data": {}}},
        },
    ),
    "bigcommerce": (
        "missing",
        {
            "status": 404,
            "title": "The product was not found.",
            "type": "https://developer.bigcommerce.com/api-docs",
            "instance": "/a",
            "errors": {},
        },
    ),
    "bigcommerce v2": (
        "missing",
        [{"status": 404, "message": "The requested resource was not found."}],
    ),
    "prestashop": (
        "validation",
        {"errors": [{"code": 90, "message": "id_lang is not a valid value"}]},
    ),
    "lightspeed": (
        "missing",
        {
            "httpCode": "404",
            "httpMessage": "Not Found",
            "message": "Sale not found.",
            "errorClass": "NotFoundException",
        },
    ),
    "toast": (
        "validation",
        {
            "status": 400,
            "code": 10022,
            "message": "bad restaurant GUID",
            "messageKey": None,
            "fieldName": None,
            "link": None,
            "requestId": "a",
            "developerMessage": None,
            "errors": [],
            "canRetry": None,
        },
    ),
    "doordash": (
        "validation",
        {
            "code": "validation_error",
            "field_errors": [{"field": "pickup_address", "error": "could not be parsed"}],
            "message": "One or more fields were invalid",
        },
    ),
    "gocardless": (
        "validation",
        {
            "error": {
                "message": "Validation failed",
                "errors": [{"field": "branch_code", "message": "must be a number"}],
                "documentation_url": "https://d",
                "type": "validation_failed",
                "request_id": "a",
                "code": 422,
            }
        },
    ),
    "wise": (
        "validation",
        {
            "errors": [
                {
                    "code": "NOT_VALID",
                    "message": "sourceAmount is too low",
                    "path": "sourceAmount",
                    "arguments": ["a"],
                }
            ]
        },
    ),
    "revolut": ("auth", {"message": "The request should be authorized.", "code": 9002}),
    "monzo": (
        "auth",
        {
            "code": "bad_request.invalid_token",
            "error": "invalid_token",
            "error_description": "token is not known",
            "message": "token is not known",
            "params": {},
        },
    ),
    "n26 text": ("auth", "Unauthorized"),
    "trading212": (
        "validation",
        {
            "type": "/api-errors/invalid",
            "code": "InvalidQuantity",
            "clarification": "quantity too small",
        },
    ),
    "alpaca": (
        "rule policy",
        {
            "buying_power": "0",
            "code": 40310000,
            "cost_basis": "1",
            "message": "insufficient buying power",
        },
    ),
    "robinhood": ("auth", {"detail": "Incorrect authentication credentials."}),
    "tiktok": (
        "auth",
        {
            "code": 40105,
            "message": "Access token is incorrect or has been revoked",
            "request_id": "a",
            "data": {},
        },
    ),
    "pinterest": ("auth", {"code": 2, "message": "Authentication failed.", "status": "failure"}),
    "snap": (
        "auth",
        {
            "request_status": "ERROR",
            "request_id": "a",
            "debug_message": "x",
            "display_message": "We're sorry, but the token is expired",
            "error_code": "E1003",
        },
    ),
    "strava": (
        "missing",
        {
            "message": "Resource Not Found",
            "errors": [{"resource": "Activity", "field": "", "code": "not found"}],
        },
    ),
    "fitbit": (
        "auth",
        {
            "errors": [{"errorType": "expired_token", "message": "Access token expired: a"}],
            "success": False,
        },
    ),
    "garmin": ("validation", {"errorMessage": "Start time is in the future"}),
    "withings": (
        "auth",
        {"status": 401, "body": {}, "error": "XRequestID: Not provided invalid_token"},
    ),
    "home assistant": ("missing", {"message": "Entity not found."}),
    "hue": (
        "missing",
        [
            {
                "error": {
                    "type": 3,
                    "address": "/lights/9",
                    "description": "resource, /lights/9, not available",
                }
            }
        ],
    ),
    "tesla": (
        "ambiguous",
        {
            "response": None,
            "error": "vehicle unavailable: vehicle is offline or asleep",
            "error_description": "",
        },
    ),
    "smartthings": (
        "validation",
        {
            "requestId": "a",
            "error": {
                "code": "ConstraintViolationError",
                "message": "The request is malformed.",
                "details": [
                    {
                        "code": "NotBlankError",
                        "target": "x",
                        "message": "may not be blank",
                        "details": [],
                    }
                ],
            },
        },
    ),
    "particle": ("missing", {"ok": False, "code": 404, "error": "Device not found"}),
    "zapier": (
        "validation",
        {
            "errors": [
                {
                    "status": 400,
                    "code": "invalid",
                    "title": "ValidationError",
                    "detail": "zap is bad",
                    "source": {},
                }
            ]
        },
    ),
    "make": (
        "missing",
        {"detail": "Not found", "message": "Requested scenario does not exist", "code": "SC404"},
    ),
    "n8n": (
        "missing",
        {
            "code": 404,
            "message": 'The requested webhook "a" is not registered.',
            "hint": "Activate the workflow",
        },
    ),
    "calendly": (
        "missing",
        {
            "title": "Resource Not Found",
            "message": "The server could not find the requested resource.",
        },
    ),
    "eventbrite": (
        "missing",
        {
            "status_code": 404,
            "error_description": "The event you requested does not exist.",
            "error": "NOT_FOUND",
        },
    ),
    "meetup": ("auth", {"errors": [{"code": "auth_fail", "message": "Invalid oauth credentials"}]}),
    "linear": (
        "validation",
        {
            "errors": [
                {
                    "message": "Argument Validation Error",
                    "path": ["issueCreate"],
                    "extensions": {
                        "type": "invalid input",
                        "userPresentableMessage": "teamId must be a UUID.",
                    },
                }
            ],
            "data": None,
        },
    ),
    "shortcut": ("missing", {"message": "Resource not found.", "tag": "organization2_missing"}),
    "todoist text": ("missing", "Task not found"),
    "evernote": ("missing", {"errorCode": "DATA_REQUIRED", "parameter": "Note.guid"}),
    "miro": (
        "missing",
        {
            "type": "error",
            "code": "2.0401",
            "context": {},
            "message": "Board not found",
            "status": 404,
        },
    ),
    "freshdesk": (
        "validation",
        {
            "description": "Validation failed",
            "errors": [
                {
                    "field": "status",
                    "message": "It should be one of these values: '2,3'",
                    "code": "invalid_value",
                }
            ],
        },
    ),
    "freshdesk auth": (
        "auth",
        {
            "code": "invalid_credentials",
            "message": "You have to be logged in to perform this action.",
        },
    ),
    "pipedrive": (
        "missing",
        {
            "success": False,
            "error": "Deal not found",
            "errorCode": 404,
            "error_info": "Please check developers.pipedrive.com",
            "data": None,
            "additional_data": None,
        },
    ),
    "close": ("validation", {"field-errors": {"name": "This field is required."}, "errors": []}),
    "copper": ("missing", {"success": False, "status": 404, "message": "Resource not found"}),
    "keap": (
        "auth",
        {
            "fault": {
                "faultstring": "Invalid Access Token",
                "detail": {"errorcode": "keymanagement.service.invalid_access_token"},
            }
        },
    ),
    "gmail text": ("auth", "Login Required."),
    "imap": ("missing", "a1 NO [NONEXISTENT] Unknown Mailbox: X (Failure)"),
    "smtp": ("missing", "550 5.1.1 The email account that you tried to reach does not exist."),
    "ftp": ("missing", "550 File not found"),
    "ldap": ("auth", "ldap_bind: Invalid credentials (49)"),
    "git": ("conflict", "error: failed to push some refs to 'origin'"),
    "git auth": (
        "missing auth",
        "remote: Repository not found.\nfatal: repository 'https://a' not found",
    ),
    "kubectl": ("missing", 'Error from server (NotFound): pods "a" not found'),
    "terraform": ("validation", "Error: Invalid reference\n\n  on main.tf line 3"),
    "docker cli": ("missing", "Error response from daemon: No such container: a"),
    "aws cli": (
        "policy",
        "An error occurred (AccessDenied) when calling the ListBuckets operation: Access Denied",
    ),
    "gcloud": (
        "policy",
        "ERROR: (gcloud.projects.describe) PERMISSION_DENIED: The caller does not have permission",
    ),
    "npm cli": ("missing", "npm ERR! code E404\nnpm ERR! 404 Not Found"),
    "pip": ("missing", "ERROR: Could not find a version that satisfies the requirement a"),
    "python": ("missing", "python: can't open file 'a.py': [Errno 2] No such file or directory"),
    "errno": ("missing", "[Errno 2] No such file or directory: 'a.txt'"),
    "windows": ("missing", "The system cannot find the file specified."),
    "go panic": ("tool_exception", "panic: runtime error: index out of range [5] with length 3"),
    "playwright": ("ambiguous", "page.goto: net::ERR_CONNECTION_TIMED_OUT at https://a.example"),
    "selenium": ("missing", "Message: no such element: Unable to locate element"),
    "sqlalchemy": (
        "conflict",
        "(psycopg2.errors.UniqueViolation) duplicate key value violates unique constraint",
    ),
    "oracle": ("auth", "ORA-01017: invalid username/password; logon denied"),
    "mssql": ("missing", "Msg 208, Level 16, State 1, Line 1\nInvalid object name 'a'."),
    "rapidapi": (
        "policy",
        {"message": "You are not subscribed to this API.", "info": "Visit the plan page"},
    ),
    "apilayer": (
        "rate_limit",
        {
            "success": False,
            "error": {
                "code": 104,
                "type": "usage_limit_reached",
                "info": "Your monthly usage limit has been reached.",
            },
        },
    ),
    "kong": ("missing", {"message": "no Route matched with those values"}),
    "tyk": ("auth", {"error": "Authorization field missing"}),
    "akamai": (
        "policy",
        {
            "type": "https://problems.luna.akamaiapis.net/-/pep-authz/deny",
            "title": "Forbidden",
            "status": 403,
            "detail": "The client does not have the grant needed",
            "instance": "https://a",
            "method": "GET",
            "serverIp": "1.2.3.4",
            "clientIp": "1.2.3.5",
            "requestId": "7",
        },
    ),
    "fastly": (
        "missing",
        {"msg": "Record not found", "detail": "Couldn't find Service '{ deleted => 0 }'"},
    ),
    "linode": ("validation", {"errors": [{"field": "label", "reason": "Label must be unique"}]}),
    "vultr": ("auth", {"error": "Invalid API token.", "status": 401}),
    "hetzner": (
        "missing",
        {
            "error": {
                "code": "not_found",
                "message": "server with ID '7' not found",
                "details": None,
            }
        },
    ),
    "scaleway": (
        "validation",
        {
            "details": [
                {"argument_name": "name", "help_message": "too long", "reason": "constraint"}
            ],
            "message": "invalid argument(s)",
            "type": "invalid_arguments",
        },
    ),
    "ovh": (
        "auth",
        {
            "class": "Client::Forbidden",
            "message": "This credential is not valid",
            "httpCode": "403 Forbidden",
            "errorCode": "INVALID_CREDENTIAL",
        },
    ),
    "vercel": ("policy", {"error": {"code": "forbidden", "message": "Not authorized"}}),
    "render": ("missing", {"id": "7", "message": "service not found"}),
    "fly": ("missing", {"error": "app not found"}),
    "supabase auth": (
        "auth",
        {"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"},
    ),
    "clerk": (
        "missing",
        {
            "errors": [
                {
                    "message": "not found",
                    "long_message": "No user was found with id a",
                    "code": "resource_not_found",
                }
            ],
            "clerk_trace_id": "7",
        },
    ),
    "workos": (
        "validation",
        {
            "message": "The following requirement must be met: email must be an email",
            "code": "invalid_request_parameters",
            "errors": ["email must be an email"],
        },
    ),
    "sentry": ("missing", {"detail": "The requested resource does not exist"}),
    "datadog": ("policy", {"errors": ["Forbidden"]}),
    "newrelic": ("auth", {"error": {"title": "The API key provided is invalid"}}),
    "splunk": ("auth", {"messages": [{"type": "WARN", "text": "call not properly authenticated"}]}),
    "opsgenie": (
        "validation",
        {
            "message": "Request body is not processable.",
            "errors": {"message": "may not be empty"},
            "took": 0.01,
            "requestId": "7",
        },
    ),
    "statuspage": ("auth", {"error": "Could not authenticate"}),
    "launchdarkly": ("conflict", {"code": "conflict", "message": "key already exists"}),
    "amplitude": (
        "validation",
        {"code": 400, "error": "Request missing required field", "missing_field": "api_key"},
    ),
    "mixpanel": (
        "validation",
        {
            "error": "some data points in the request failed validation",
            "failed_records": [{"index": 0, "field": "time", "message": "bad"}],
            "num_records_imported": 0,
            "status": "Bad Request",
            "code": 400,
        },
    ),
    "braze": ("auth", {"message": "Invalid API key: a"}),
    "klaviyo": (
        "validation",
        {
            "errors": [
                {
                    "id": "a",
                    "status": 400,
                    "code": "invalid",
                    "title": "Invalid input.",
                    "detail": "'email' is wrong",
                    "source": {"pointer": "/data"},
                    "meta": {},
                }
            ]
        },
    ),
    "brevo": ("missing", {"code": "document_not_found", "message": "Contact does not exist"}),
    "resend": (
        "validation",
        {"statusCode": 422, "message": "Missing `to` field.", "name": "missing_required_field"},
    ),
    "vonage": (
        "auth",
        {
            "type": "https://developer.vonage.com/api-errors#unauthorized",
            "title": "You did not provide correct credentials.",
            "detail": "Check them",
            "instance": "7",
        },
    ),
    "plivo": ("auth", {"api_id": "7", "error": "authentication credentials invalid"}),
    "messagebird": (
        "auth",
        {
            "errors": [
                {
                    "code": 2,
                    "description": "Request not allowed (incorrect access_key)",
                    "parameter": "access_key",
                }
            ]
        },
    ),
    "telnyx": (
        "auth",
        {
            "errors": [
                {
                    "code": "10009",
                    "title": "Authentication failed",
                    "detail": "Could not understand the provided credentials",
                    "meta": {"url": "https://a"},
                }
            ]
        },
    ),
    "zoominfo": ("auth", {"success": False, "error": "Unauthorized", "statusCode": 401}),
    "clearbit": ("missing", {"error": {"type": "unknown_record", "message": "Unknown person."}}),
    "hunter": (
        "validation",
        {
            "errors": [
                {
                    "id": "wrong_params",
                    "code": 400,
                    "details": "You are missing the domain parameter",
                }
            ]
        },
    ),
    "deepl": ("auth policy", {"message": "Wrong endpoint. Use https://api.deepl.com"}),
    "google translate": (
        "validation",
        {
            "error": {
                "code": 400,
                "message": "Invalid Value",
                "errors": [{"message": "Invalid Value", "domain": "global", "reason": "invalid"}],
                "status": "INVALID_ARGUMENT",
            }
        },
    ),
    "yandex translate": ("auth", {"code": 401, "message": "API key is invalid"}),
    "unsplash": ("auth", {"errors": ["OAuth error: The access token is invalid"]}),
    "pexels": ("rate_limit", {"status": 429, "code": "Too many"}),
    "imgur": (
        "policy",
        {
            "data": {"error": "Unauthorized", "request": "/3/image", "method": "GET"},
            "success": False,
            "status": 403,
        },
    ),
    "vimeo short": ("missing", {"error": "The requested video couldn't be found."}),
    "twitch helix": (
        "validation",
        {"error": "Bad Request", "status": 400, "message": 'Missing required parameter "id"'},
    ),
    "steam": (
        "policy",
        "<html><head><title>Forbidden</title></head><body><h1>No</h1></body></html>",
    ),
    "riot": ("policy", {"status": {"message": "Forbidden", "status_code": 403}}),
    "chess": ("missing", {"code": 0, "message": 'User "a" not found.'}),
    "pokeapi": ("missing", "Not Found"),
    "itunes": (
        "validation",
        {
            "errorMessage": "Invalid value(s) for key(s): [media]",
            "queryParameters": {"output": "json"},
        },
    ),
    "openlibrary": ("missing", {"error": "notfound", "key": "/books/7"}),
    "isbndb": ("missing", {"errorMessage": "Not Found"}),
    "crossref text": ("missing", "Resource not found."),
    "orcid": (
        "missing",
        {
            "response-code": 404,
            "developer-message": "404 Not Found: the profile is not there",
            "user-message": "The resource was not found.",
            "error-code": 9016,
            "more-info": "https://a",
        },
    ),
    "europepmc": ("validation", {"errCode": 404, "errMsg": "No query parameter was given"}),
}

GOOD: dict[str, object] = {
    # Answers about errors.
    "a log": {
        "entries": [
            {"level": "error", "message": "connection refused", "time": "2024-01-01T00:00:00Z"},
            {"level": "info", "message": "started", "time": "2024-01-01T00:00:01Z"},
        ]
    },
    "one line of a log": {
        "level": "error",
        "message": "Failed to connect to database",
        "timestamp": "2024-01-01T00:00:00Z",
        "logger": "app.db",
    },
    "a log as text": (
        "2024-01-01 00:00:01 ERROR failed to connect\n2024-01-01 00:00:02 INFO retry\n"
        "2024-01-01 00:00:03 ERROR failed to connect"
    ),
    "an incident": {
        "id": "INC-7",
        "title": "Internal server error on checkout",
        "status": "open",
        "severity": "critical",
        "description": "Users see error 500",
    },
    "a list of incidents": [
        {"id": 1, "title": "API error", "status": "failed"},
        {"id": 2, "title": "Timeout", "status": "error"},
    ],
    "a ticket with an error field": {
        "ticket_id": 7,
        "subject": "Cannot log in",
        "error": "invalid password",
        "assignee": "ann",
        "created": "2024-01-01",
        "status": "open",
    },
    "tickets with an error field": [
        {"id": 7, "error": "invalid password", "status": "open"},
        {"id": 8, "error": None, "status": "closed"},
    ],
    "a validation report": {
        "valid": False,
        "errors": [{"line": 3, "message": "unexpected indent"}],
        "warnings": [],
    },
    "a lint report": {
        "file": "a.py",
        "errors": 2,
        "warnings": 1,
        "messages": [{"line": 1, "text": "unused import"}],
    },
    "test results": {"passed": 10, "failed": 2, "errors": 0, "skipped": 1, "duration": 3.2},
    "test cases": {
        "tests": [{"name": "a", "outcome": "failed", "message": "assert 1 == 2"}],
        "summary": {"failed": 1},
    },
    "a job that failed": {
        "id": "job-7",
        "status": "failed",
        "created_at": "2024-01-01",
        "command": "make",
        "attempts": 3,
    },
    "a job with its error": {
        "id": "job-7",
        "name": "nightly",
        "state": "failed",
        "error": {"message": "disk full"},
        "started_at": "2024-01-01",
        "retries": 3,
        "queue": "default",
    },
    "a payment that failed": {
        "id": "pi_1",
        "object": "payment_intent",
        "amount": 2000,
        "currency": "usd",
        "status": "requires_payment_method",
        "last_payment_error": {"code": "card_declined", "message": "Your card was declined."},
    },
    "a charge that failed": {
        "id": "ch_1",
        "object": "charge",
        "amount": 100,
        "paid": False,
        "failure_code": "card_declined",
        "failure_message": "Your card was declined.",
        "status": "failed",
    },
    "a build": {
        "id": 99,
        "name": "build",
        "status": "completed",
        "conclusion": "failure",
        "html_url": "https://github.com/a/b/actions/runs/99",
    },
    "a delivery": {
        "sid": "SM7",
        "body": "hello",
        "status": "undelivered",
        "error_code": 30003,
        "error_message": "Unreachable destination handset",
        "to": "+1555",
        "from": "+1444",
        "price": None,
    },
    "a message that was sent": {
        "sid": "SM7",
        "status": "queued",
        "error_code": None,
        "error_message": None,
        "body": "hello",
    },
    "kubernetes pod": {
        "kind": "Pod",
        "metadata": {"name": "a"},
        "status": {
            "phase": "Failed",
            "reason": "Evicted",
            "message": "The node was low on resource: memory.",
        },
    },
    "kubernetes event": {
        "kind": "Event",
        "reason": "FailedScheduling",
        "message": "0/3 nodes are available",
        "type": "Warning",
        "count": 4,
    },
    "kubernetes success": {"kind": "Status", "status": "Success", "details": {"name": "a"}},
    "an error catalogue": [
        {"code": 404, "message": "Not found", "description": "The thing is not there"},
        {"code": 429, "message": "Too many requests", "description": "Slow down"},
    ],
    "an error catalogue under a name": {
        "errors": [
            {"code": "E1", "title": "Not found", "count": 41, "last_seen": "2024-01-01"},
            {"code": "E2", "title": "Timeout", "count": 12, "last_seen": "2024-01-02"},
        ],
        "total": 2,
        "page": 1,
    },
    "sentry issues": {
        "issues": [
            {"id": "7", "title": "TypeError: x is not a function", "level": "error", "count": "41"}
        ]
    },
    "one sentry issue": {
        "id": "7",
        "title": "TypeError: x is not a function",
        "type": "error",
        "level": "error",
        "count": "41",
        "permalink": "https://sentry.io/7",
    },
    "an error rate": {"service": "api", "error_rate": 0.02, "errors": 12, "requests": 600},
    "error figures": {"error": 0.05, "mean": 3.2, "n": 100},
    "a model's error": {"mae": 0.2, "rmse": 0.5, "error": 0.1, "model": "a"},
    "a batch": {
        "results": [
            {"id": 1, "success": True},
            {"id": 2, "success": False, "error": "not found"},
        ],
        "succeeded": 1,
        "failed": 1,
    },
    "a bulk index": {
        "took": 3,
        "errors": True,
        "items": [
            {"index": {"_id": "1", "status": 201}},
            {"index": {"_id": "2", "status": 400, "error": {"type": "mapper_parsing_exception"}}},
        ],
    },
    "an import": {
        "imported": 98,
        "errors": [{"row": 7, "message": "invalid date"}],
        "status": "completed",
    },
    "graphql in part": {
        "data": {"user": {"name": "Ann"}, "feed": None},
        "errors": [{"message": "feed timed out", "path": ["feed"]}],
    },
    "health checks": {
        "status": "degraded",
        "checks": [{"name": "db", "status": "fail", "message": "connection refused"}],
    },
    "a page status": {"url": "https://a.example/x", "status_code": 404, "title": "Not Found"},
    "link checks": {"links": [{"url": "https://a.example", "status": 404, "error": "Not Found"}]},
    "a trace": {
        "spans": [{"name": "GET /", "status": "error", "duration": 12}],
        "trace_id": "7",
    },
    "a webhook delivery": {
        "id": 7,
        "event": "push",
        "status": "Invalid HTTP Response: 404",
        "status_code": 404,
        "delivered_at": "2024-01-01",
        "request": {"headers": {}},
    },
    "a workflow with an on-error branch": {
        "nodes": [{"name": "a", "onError": "stop"}],
        "error_workflow": "w7",
        "name": "n",
    },
    "a commit": {
        "sha": "a1",
        "message": "Fix error: not found when id is missing",
        "author": "ann",
    },
    "a pull request": {
        "number": 7,
        "title": "Handle invalid token error",
        "state": "open",
        "body": "Error: boom",
    },
    "a chat message": {
        "ok": True,
        "channel": "C1",
        "message": {"text": "Error: the build failed", "user": "U1"},
    },
    "a mail": {
        "subject": "Delivery failed",
        "from": "mailer-daemon@a.example",
        "body": "Error: user unknown",
    },
    "a page about errors": "# Errors\n\nThe API answers 404 Not Found where a thing is not there.",
    "code": "def f():\n    raise ValueError('invalid')\n",
    "a csv": "id,error,count\n1,not found,3\n2,timeout,4\n",
    # Nothing was wrong.
    "no errors": {"errors": [], "data": {"a": 1}},
    "no error": {"error": None, "result": 7},
    "an empty error": {"error": "", "value": "x"},
    "false": {"error": False, "message": "ok"},
    "zero errors": {"error_count": 0, "status": "ok"},
    "code nought": {"code": 0, "msg": "success", "data": {"id": 1}},
    "code nought, text": {"code": "0", "message": "OK"},
    "code 200": {"code": 200, "message": "Deleted", "data": None},
    "errcode nought": {"errcode": 0, "errmsg": "ok"},
    "cod 200": {"cod": 200, "message": 0, "cnt": 40},
    "wordy code": {"code": "SUCCESS", "message": "The order was created", "orderId": 7},
    "ok": {"ok": True},
    "slack": {"ok": True, "warning": "missing_charset", "channel": "C1"},
    "success": {"success": True, "message": "Error log cleared"},
    "message": {"message": "Order 7 was cancelled."},
    "message, deleted": {"message": "Deleted. This cannot be undone."},
    "message, found": {"message": "3 results found, 0 failed"},
    "message, welcome": {"message": "Welcome! You must be new here"},
    "hello": {"message": "Hello from Docker!"},
    "mailgun": {"id": "<a@b>", "message": "Queued. Thank you."},
    "status only": {"status": "active", "id": 7},
    "status failed of a record": {"id": 7, "status": "failed"},
    "exit nought": {"exit_code": 0, "stdout": "", "stderr": "warning: unused"},
    "grep": {"exit_code": 1, "stdout": "", "stderr": ""},
    "json-rpc": {"jsonrpc": "2.0", "id": 1, "result": {"errors": []}},
    "maps, nothing": {"results": [], "status": "ZERO_RESULTS"},
    "nothing": {"results": [], "total": 0},
    "no rows": "No results found",
    "no matches": "No files matched the pattern",
    "a fact": {"name": "San Andreas Fault", "length": 1200, "type": "strike-slip"},
    "faults": {
        "faults": [{"name": "Hayward", "length": 119}, {"name": "Calaveras", "length": 123}]
    },
    "exceptions of a calendar": {
        "calendar": "school",
        "exceptions": ["2024-12-24", "2024-12-25"],
        "days": ["Mo", "Tu"],
    },
    "settings": {"on_error": "retry", "error_email": "ops@a.example", "max_errors": 3},
    "a form": {
        "fields": [{"name": "age", "required": True, "error_message": "Age must be a number"}],
        "title": "Form",
    },
    "a field's validation": {"name": "age", "errorMessage": "Age must be a number", "min": 0},
    "tags": {"email": ["ann@a.example"], "roles": ["reader", "writer"]},
    "synonyms": {"invalid": ["void", "null"], "missing": ["absent", "lost"]},
    "translations": {"en": ["not found"], "de": ["nicht gefunden"]},
    "a song": {"title": "Error", "artist": "Madeline", "code": "US-1", "detail": "single"},
    "a film": {"Title": "No Such Thing", "Year": "2001", "Response": "True"},
    "a book": {"title": "The Trial", "description": "Someone must have slandered Josef K."},
    "a country": {"code": "NO", "name": "Norway"},
    "a coupon": {"code": "EXPIRED10", "description": "10 percent off", "valid": True},
    "an airport": {"code": "ERR", "name": "Errol", "detail": "closed since 2003"},
    "an http status": {"code": 404, "name": "Not Found", "category": "client errors", "rfc": 9110},
    "a diagnosis": {"code": "R69", "description": "Illness, unspecified", "billable": True},
    "a car's fault codes": {"vin": "1F", "codes": [{"code": "P0420", "description": "Catalyst"}]},
    "a device": {"id": 7, "status": "offline", "last_error": "timeout", "last_seen": "2024-01-01"},
    "a sync": {"id": 7, "sync_status": "ok", "sync_error": None},
    "a connector": {
        "id": 7,
        "name": "crm",
        "status": "error",
        "last_sync": "2024-01-01",
        "records": 512,
    },
    "an operation done": {"name": "operations/1", "done": True, "response": {"x": 1}},
    "a review": {
        "decision": "rejected",
        "reason": "not enough evidence",
        "reviewer": "ann",
        "case": 7,
    },
    "an order refused": {
        "order_id": 7,
        "status": "rejected",
        "reason": "insufficient funds",
        "items": [{"sku": "a"}],
    },
    "a permission check": {"allowed": False, "reason": "not a member"},
    "an availability check": {"available": False, "message": "This name is already taken"},
    "a check of a mail": {"email": "a@b", "valid": False, "reason": "mailbox not found"},
    "a policy": {
        "effect": "deny",
        "message": "Access denied outside office hours",
        "rules": [1, 2],
    },
    "weather": {"alerts": [{"event": "Storm", "severity": "severe"}], "status": "ok"},
    "fhir": {
        "resourceType": "OperationOutcome",
        "issue": [{"severity": "information", "code": "informational", "diagnostics": "All OK"}],
    },
    "fhir patient": {"resourceType": "Patient", "id": "7", "name": [{"family": "Chalmers"}]},
    "an html page": (
        "<html><head><title>Errors in baseball</title></head><body><p>An error is an act, in the "
        "judgment of the scorer, of misplaying a ball.</p></body></html>"
    ),
    "an xml record": "<order><id>7</id><error>none</error></order>",
    "soap": (
        '<soap:Envelope xmlns:soap="http://a"><soap:Body><GetPriceResponse><Price>1.90</Price>'
        "</GetPriceResponse></soap:Body></soap:Envelope>"
    ),
    "a feed": "<rss><channel><item><title>Error at the plant</title></item></channel></rss>",
    # Of many trades.
    "an audit record": {
        "id": "a1",
        "actor": "ann",
        "action": "login",
        "result": "failure",
        "reason": "bad password",
        "ip": "1.2.3.4",
    },
    "audit records": {"records": [{"actor": "ann", "result": "failure"}], "next": None},
    "an alarm": {
        "AlarmName": "errors",
        "StateValue": "ALARM",
        "StateReason": "Threshold crossed: 3 errors",
    },
    "alarms": {"alarms": [{"name": "5xx", "state": "error"}]},
    "a log group": {
        "events": [{"timestamp": 1, "message": "ERROR failed"}],
        "nextForwardToken": "f/3",
    },
    "a monitor": {
        "id": 7,
        "name": "site",
        "type": "http",
        "status": "down",
        "last_error": "timeout",
        "url": "https://a",
    },
    "a deployment": {
        "uid": "d1",
        "name": "site",
        "state": "ERROR",
        "errorMessage": 'Command "npm run build" exited with 1',
        "createdAt": 1,
    },
    "a transcript": {
        "id": "t1",
        "status": "failed",
        "failure": "download_failure",
        "failure_detail": "Failed to download media",
        "created_on": "2024-01-01",
    },
    "a mail bounce": {
        "email": "a@b",
        "reason": "550 5.1.1 user unknown",
        "status": "5.1.1",
        "created": 1,
    },
    "a list of bounces": [
        {"email": "a@b", "reason": "550 unknown", "status": "5.1.1", "created": 1}
    ],
    "an sms": {"message-id": "1", "to": "1", "status": "0", "remaining-balance": "3"},
    "a survey answer": {"question": "What failed?", "answer": "The build", "id": 7},
    "a quiz": {"question": "What is 404?", "answer": "Not Found", "code": 404},
    "a faq": {"title": "Invalid token", "body": "Ask for a new one", "id": 3},
    "a search": {"query": "error 404", "hits": [{"title": "404 Not Found"}], "total": 1},
    "a search of nothing": {"query": "x", "hits": [], "total": 0, "message": "No results"},
    "a diff": {"files": [{"path": "a", "status": "removed"}], "errors": []},
    "sql": {"columns": ["error"], "rows": [["not found"]]},
    "one row": {"error": "not found", "n": 12},
    "a person": {"name": "Justin Case", "title": "Error Analyst", "status": "inactive"},
    "a room": {"number": 404, "name": "Not Found Bar", "status": "closed"},
    "a status page": {
        "status": {"indicator": "major", "description": "Partial System Outage"},
        "page": {"id": "x"},
    },
    "a feature": {"key": "error_page", "enabled": False, "description": "Shows errors"},
    "a schema": {
        "type": "object",
        "properties": {"error": {"type": "string"}},
        "required": ["error"],
    },
    "an openapi answer": {"404": {"description": "Not Found"}, "200": {"description": "OK"}},
    "a config": {"errorDocument": "/404.html", "indexDocument": "index.html"},
    "an ack": {"acknowledged": True, "shards_acknowledged": False},
    "an es index": {
        "_index": "a",
        "result": "created",
        "_shards": {"total": 2, "successful": 1, "failed": 0},
    },
    "an es get": {"_index": "a", "_id": "7", "found": False},
    "a delete": {"deleted": True, "id": 7, "message": "The error was deleted"},
    "an rpc status": {"code": 0, "message": "", "details": []},
    "a greeting": {"message": "Hello, Ann! You can not lose."},
    "a fortune": {"message": "You will only find what you must."},
    "a reminder": {"message": "Reminder: payment failed for order 7", "to": "ann", "sent": True},
    "a notification": {
        "title": "Payment failed",
        "body": "Your card was declined",
        "id": "n1",
        "read": False,
    },
    "captcha": {"success": True, "score": 0.1, "error-codes": []},
    "spell check": {"errors": [{"word": "teh", "suggestions": ["the"]}], "text": "teh"},
    "accounts": {"valid": True, "message": "not expired"},
    "coins": {
        "status": {"timestamp": "x", "error_code": 0, "error_message": None, "elapsed": 3},
        "data": {"a": 1},
    },
    "ether": {"status": "1", "message": "OK", "result": "123"},
    "ether, none": {"status": "0", "message": "No transactions found", "result": []},
    "bungie": {
        "Response": {"a": 1},
        "ErrorCode": 1,
        "ErrorStatus": "Success",
        "Message": "Ok",
        "MessageData": {},
    },
    "postmark": {"ErrorCode": 0, "Message": "OK", "MessageID": "a", "To": "b"},
    "retcode": {"retCode": 0, "retMsg": "OK", "result": {"list": [1]}},
    "a word": {"word": "error", "definition": "a mistake", "type": "noun"},
    "a pair": ["error", 12],
    "a note": "Ask Bob why the login failed. He said the token was invalid.",
    "a todo": "- fix error\n- close ticket",
    "an answer": "Yes, the file was deleted. No errors.",
    "a count": "12 errors in 3 files",
    "nothing, again": "No events scheduled for today.",
    "a todo list": [{"id": 1, "content": "Fix error page", "completed": False}],
    "an email thread": {
        "threadId": "a",
        "messages": [{"from": "a@b", "snippet": "Your payment failed"}],
    },
    "a git log": "commit a1\nAuthor: Ann\n\n    Fix: user not found",
    "a grep": "src/a.py:3: raise ValueError('not found')",
    "a stack overflow": {
        "items": [{"title": "KeyError: 'a' in dict", "score": 3}],
        "has_more": False,
    },
    "a wiki": {"title": "HTTP 404", "extract": "404 is an error message."},
    "a directory": ["error.log", "failed.txt"],
    "a user": {"login": "ann", "disabled": False, "failed_logins": 3},
    "a metric": {"name": "errors", "value": 12},
    "a metric list": [{"metric": "errors", "value": 12}, {"metric": "latency", "value": 3}],
    "a task": {"task_id": "t1", "status": "FAILURE", "result": None, "traceback": None},
    "a run": {
        "id": "run_1",
        "status": "failed",
        "last_error": {"code": "rate_limit_exceeded", "message": "x"},
        "model": "m",
        "created_at": 1,
    },
    "a domain check": {"domain": "a.com", "available": False, "reason": "registered"},
    "a card check": {"number": "4111", "valid": False, "error": "bad checksum"},
    "an address check": {
        "deliverable": False,
        "analysis": {"footnotes": "A1"},
        "message": "Address not found in the data",
    },
    "a login list": [
        {"user": "ann", "outcome": "failure", "error": "bad password"},
        {"user": "bob", "outcome": "success", "error": None},
    ],
    "a scan": {"vulnerabilities": [{"severity": "error", "message": "Missing header"}]},
    "a spell": {"matches": [{"message": "Possible spelling mistake found.", "offset": 3}]},
    "an eslint": [
        {
            "filePath": "a.js",
            "messages": [{"ruleId": "x", "severity": 2, "message": "Missing semicolon."}],
            "errorCount": 1,
        }
    ],
    "a lint line": [{"file": "a.py", "line": 3, "message": "undefined name x"}],
    "a compiler": {"diagnostics": [{"severity": "error", "message": "cannot find symbol"}]},
    "a coverage": {"covered": 80, "missing": ["a.py"]},
    "inventory": {"sku": "a", "available": 0, "message": "Only 0 left"},
    "flight": {"flight": "LH1", "status": "cancelled", "reason": "Crew not available"},
    "a parcel": {"tracking": "1Z", "status": "exception", "message": "Delivery attempt failed"},
    "a parcel event": {"events": [{"status": "exception", "description": "Address incomplete"}]},
    "a vote": {"result": "rejected", "yes": 3, "no": 9},
    "an exam": {"result": "fail", "score": 31, "candidate": "ann"},
    "a reply": {"reply": "I could not find the book in our shop.", "suggestions": ["a"]},
    "an assistant": {"role": "assistant", "content": "I'm sorry, I can't do that."},
    "a term": {"term": "fault", "definitions": ["a break in rock"]},
    "a lyric": {"lyrics": "I can't find my way home."},
    "a rule": {"name": "deny all", "action": "deny", "message": "Forbidden"},
    "a template": {"id": "t", "subject": "Login failed", "body": "Dear {{name}}"},
    "a webhook": {"url": "https://a", "events": ["error"], "active": True},
    "a timer": {"timeout": 30, "unit": "s"},
    "a status": {"status": "ok", "errors": 0},
    "an empty search": {"message": "No matches", "results": []},
    "text, nothing": "0 errors, 0 warnings",
    "text, done": "Removed 3 failed jobs.",
    "tags map": {"a": ["Great."], "b": ["Fine."]},
    "quotes": {"quotes": ["To err is human.", "You cannot step twice in the same river."]},
    "faq map": {"What is required?": ["A passport is required."], "Where?": ["At the gate."]},
    "a server": {"id": 7, "name": "web", "status": "off", "errors": []},
    "an error budget": {"slo": "api", "error_budget": 0.3, "status": "ok"},
    "a bounce report": {
        "message": "Mailbox full",
        "email": "a@b",
        "type": "bounce",
        "code": "5.2.2",
    },
    "an invoice": {
        "id": "in_1",
        "status": "uncollectible",
        "attempted": True,
        "last_finalization_error": None,
    },
    "a phone": {"number": "+1555", "valid": False, "carrier": None},
    "a refusal of a person": {"invitee": "ann", "response": "declined", "message": "I cannot come"},
    "a comment": {"author": "ann", "text": "This does not exist in my version", "likes": 2},
    "a release": {"tag": "v1", "name": "v1", "body": "- Fix: invalid token error"},
    "a changelog": "## 1.2\n- Fixed error when the file was not found",
    "a weather": {"cod": "200", "message": 0, "list": [1]},
    "an npc": {"name": "The Unknown Soldier", "title": "Missing in action"},
    "a crossword": {"clue": "Not found", "answer": "LOST", "length": 4},
    "a route": {"code": "Ok", "routes": [{"distance": 1}]},
    "geocoder": {"status": "OK", "results": [{"name": "a"}]},
    "a switch": {"state": "unavailable", "entity_id": "light.a", "attributes": {}},
    "a service check": {"service": "db", "healthy": False, "message": "connection refused"},
    "a ping": {"host": "a", "alive": False, "error": "timeout", "time": None},
    "a ticket": {
        "key": "AB-1",
        "fields": {"summary": "Invalid token error", "status": {"name": "Open"}},
    },
    "flags": {"flags": [{"key": "show_errors", "on": False}]},
    "a regex": {"pattern": "error:.*", "matches": 0},
    "a vulnerability": {"id": "CVE-1", "summary": "Access denied bypass", "severity": "high"},
    "a poll": {"question": "Did it fail?", "options": ["failed", "worked"]},
    "a code": {"code": "INVALID", "label": "Invalid", "color": "red"},
    "an http log": {"method": "GET", "path": "/x", "status": 404, "duration": 3},
    "http logs": [
        {"method": "GET", "path": "/x", "status": 500, "message": "Internal Server Error"},
        {"method": "GET", "path": "/", "status": 200, "message": "OK"},
    ],
    "sms": {
        "id": "m",
        "status": "failed",
        "to": "+1",
        "error": {"code": 30003, "message": "Unreachable"},
        "body": "hi",
    },
    "a note, again": {"id": 1, "note": "Access denied at the gate"},
    "text": "The invoice was not found in the archive, so I created a new one.",
    "text 2": "Meeting cancelled because the room is unavailable.",
    "text 3": "Tip: failed to sleep? Try tea.",
    "text 4": "Nothing is missing.",
}

UNDECIDED = frozenset(
    (
        "grails hal",
        "braintree text",
        "ebay trading",
        "xero",
        "clickhouse",
        "redis",
        "plain",
        "return value",
        "marvel number",
        "geonames",
        "api platform",
        "berlin group",
        "worldbank",
        "bitfinex",
        "etherscan",
        "sms gateway",
        "openstreetmap",
        "trading212",
        "alpaca",
        "imap",
        "kong",
        "render",
        "splunk",
        "pexels",
        "chess",
        "a field's validation",
        "one row",
        "a ping",
    )
)
"""Known gaps: errors that pass, and good answers that are taken for errors."""

UNREAD = frozenset(
    (
        "rfc 9457",
        "aws api gateway",
        "rails, by field",
        "telegram",
        "jira",
        "trello key",
        "zoho",
        "twitter v1",
        "alipay",
        "tomtom",
        "express html",
        "status error",
        "taxjar",
        "parlay",
        "pinecone",
        "snowflake",
        "segment",
        "evernote",
        "git",
        "mssql",
        "linode",
        "deepl",
        "imgur",
        "europepmc",
    )
)
"""Errors that are noticed, and put into another class than a person would."""
