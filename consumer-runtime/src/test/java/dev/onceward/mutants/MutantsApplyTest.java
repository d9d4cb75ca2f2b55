package dev.onceward.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Mutants go stale when what they change is changed: seen here, and not only when somebody runs them. */
class MutantsApplyTest {
    private final List<Mutant> mutants = Mutant.readAll(Path.of("src/mutants"));

    MutantsApplyTest() throws IOException {}

    @Test
    void eachHasANumberOfItsOwn() {
        assertThat(mutants)
                .hasSizeGreaterThanOrEqualTo(12)
                .extracting(Mutant::number)
                .doesNotHaveDuplicates();
    }

    @Test
    void eachStillAppliesToTheSources() {
        assertThat(mutants)
                .allSatisfy(mutant -> assertThatCode(() -> mutant.apply(Path.of("src/main/java")))
                        .doesNotThrowAnyException());
    }

    @Test
    void theTestsThatMustCatchThemAreThere() {
        assertThat(mutants)
                .flatMap(Mutant::caughtBy)
                .allSatisfy(
                        test -> assertThatCode(() -> NamedTests.method(test)).doesNotThrowAnyException());
    }
}
