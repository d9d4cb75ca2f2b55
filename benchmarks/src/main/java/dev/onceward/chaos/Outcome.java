package dev.onceward.chaos;

import dev.onceward.testsupport.guarantees.Finding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a run gave.
 *
 * @param seed of the run
 * @param messages records in the topic
 * @param faults how many of each kind struck
 * @param takeovers of partitions
 * @param uncleanTakeovers of partitions whose owner had not released them
 * @param fenced partitions whose newer generation a stale worker met, by the workers' logs
 * @param unknownCommits by the workers' logs
 * @param endedByThemselves workers that ended though nobody ended them
 * @param findings one for each guarantee
 * @param aborted why the run was broken off; {@code null}: it was not
 */
record Outcome(
        long seed,
        long messages,
        Map<FaultKind, Integer> faults,
        long takeovers,
        long uncleanTakeovers,
        long fenced,
        long unknownCommits,
        int endedByThemselves,
        List<Finding> findings,
        @Nullable String aborted) {

    /** Whether everything held, and enough was looked at to say so. */
    boolean held() {
        return aborted == null && findings.stream().allMatch(finding -> finding.held() && finding.checked() > 0);
    }

    int faultCount() {
        return faults.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** For programs; the names are those of the report. */
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seed", seed);
        json.put("held", held());
        json.put("messages", messages);
        json.put("faults", faultCount());
        Map<String, Object> byKind = new TreeMap<>();
        faults.forEach((kind, count) -> byKind.put(kind.text(), count));
        json.put("faults_by_kind", byKind);
        json.put("takeovers", takeovers);
        json.put("unclean_takeovers", uncleanTakeovers);
        json.put("fenced", fenced);
        json.put("unknown_commits", unknownCommits);
        json.put("workers_ended_by_themselves", endedByThemselves);
        Map<String, Object> violations = new LinkedHashMap<>();
        Map<String, Object> checked = new LinkedHashMap<>();
        findings.forEach(finding -> {
            violations.put(finding.guarantee(), finding.violations());
            checked.put(finding.guarantee(), finding.checked());
        });
        json.put("violations", violations);
        json.put("checked", checked);
        if (aborted != null) {
            json.put("aborted", aborted);
        }
        return json;
    }
}
