"""Figures that are compared over time by their names: renaming one would end its history."""

from __future__ import annotations

from collections.abc import Mapping

FIXED: Mapping[str, str] = {
    "overhead": "otel_ratio otel_total_ratio saga_ratio bare_us observed_us log_share"
    " stall_p99_ratio worst_stall_ms redaction_ratio import_ms first_use_import_ms lost_busy"
    " first_use_cpu_ms journal_ratio group_commit_ratio syncs_per_action syncs_per_undo",
    "crash": "points named_points named_points_hit unaccounted undone_twice duplicates lost_edits",
    "workbench": "side_effect_runs recall correct_runs false_alarm_share refused_anyway standard",
    "agentdojo": "wrong_writes recall correct_runs false_alarm_share injected"
    " injected_flagged_share",
    "dialogs": "right right_rejected right_rejected_share planted",
    "solo-retail": "wrong wrong_rejected wrong_warned right right_rejected right_warned planted",
    "api-answers": "errors recall macro_recall ok false_alarms classes",
    "exec-outputs": "failed noticed good false_alarms",
    "ace-calls": "right right_refused bent other_calls",
    "desks": "good false_alarm_share failing recall by_domain",
    "sentences": "right right_flagged_share shifted shifted_flagged_share",
    "dates": "core all by_source peers checker median_us peers_median_us outside third",
    "wrong-dates": "acted_on_wrong_date caught right_runs false_alarms",
    "bfcl": "failures fixed fixed_parallel passes broken by_class",
    "bfcl-irrelevant": "flagged_share false_alarm_share",
    "memory": "cold warm",
    "tau-precheck": "recall false_alarm_share",
    "tau-decide": "cold warm",
    "tau-repair": "exact harmful silent",
    "silent-errors": "recall precision outside",
    "errors": "strict acceptable by_class",
    "fingerprint": "accuracy over_merged over_split pairs",
    "repairs": "own cross scope_changed required_dropped silent_share auto",
    "calibration": "ece brier base_brier auto_precision auto_n unseen_tools",
    "confidence": "all by_set",
    "grounding": "balanced_accuracy precision_at_half_recall",
    "faith": "flagged_unwanted flagged_rest balanced_accuracy",
    "replies": "mapped agreement violations violations_found",
    "lookup": "p95_ms growth",
    "text": "guardrails_ratio us growth_1mb",
    "hostile": "cases wrong seconds_to_end",
    "tasks": "static accept_all gated gated_judged worst_below_static rolled_back_share",
    "scale": "actions_per_second turn_p50_ms turn_p99_ms rows_per_second decision_p50_ms"
    " decision_p99_ms limited_by",
    "engines": "engines",
    "redaction": "secrets kinds places encodings leaks ordinary ordinary_hidden_share"
    " redaction_ratio",
    "secrets": "secrets readable readable_share ordinary ordinary_changed_share ids_changed_share",
    "hosts": "ratio",
    "gateway": "direct_ratio_p50 stdio_ratio_p50 stdio_ratio_p99 http_ratio_p50 http_ratio_p99"
    " direct_ms",
    "dashboard": "overview_ms tools_ms growth",
    "years": "turn_ms failing_turn_ms open_ms recovery_ms filters_ms stats_ms doctor_ms growth"
    " bytes_per_row",
    "counts": "counts baseline worst_ratio",
    "visits": "observed accepted rejected failing gateway reply loaded_modules context_variables"
    " tool_options settings",
    "turns": "empty read accepted rejected failing by_store growth",
    "people": "actions needed by_cause",
    "replay": "calls seconds peak_mb agreement same_twice",
}
"""By suite; beside these every result has `suite`, `n`, `seconds` and `versions`."""


def list_missing(suite: str, result: Mapping[str, object]) -> list[str]:
    """The names that a result should have and has not."""
    wanted = ("n", "versions", *FIXED.get(suite, "").split())
    return [name for name in wanted if name not in result]
