"""The only place that knows every part."""

import logging


def _hide_in_log(record: logging.LogRecord) -> bool:
    """Take secrets out of a message of ours, whoever wrote what it quotes."""
    from mulligan.redaction.agent_text import hide_secrets

    said = record.getMessage()
    if (shown := hide_secrets(said)) != said:
        record.msg, record.args = shown, None
    if record.exc_info:
        record.exc_text = hide_secrets(logging.Formatter().formatException(record.exc_info))
    return True


logging.getLogger("mulligan").addFilter(_hide_in_log)
