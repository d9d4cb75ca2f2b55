package dev.onceward.dlq;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.onceward.deadletter.SafeText;
import dev.onceward.deadletter.TopicProvisioner;
import dev.onceward.postgres.Tables;
import dev.onceward.postgres.UnprocessedProof;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

/** The shape of the code that no compiler checks. */
class ArchitectureTest {
    private final JavaClasses main = new ClassFileImporter().importPath(Path.of("target", "classes"));

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("dev.onceward.dlq.(*)..").should().beFreeOfCycles().check(main);
    }

    @Test
    void onlyTheCommandsKnowTheCommandLine() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.onceward.dlq", "dev.onceward.dlq.connect")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("picocli..")
                .check(main);
    }

    @Test
    void onlyThisOfTheRuntimeIsUsed() {
        // What the workers and the tools must agree on. The rest of the runtime may change without a look at the tools.
        DescribedPredicate<JavaClass> shared = resideInAnyPackage(
                        "dev.onceward.dlq..",
                        "dev.onceward.catalog",
                        "dev.onceward.handler",
                        "dev.onceward.message",
                        "dev.onceward.migrations",
                        "dev.onceward.position")
                .or(belongToAnyOf(Tables.class, UnprocessedProof.class, SafeText.class, TopicProvisioner.class));
        noClasses()
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.onceward..").and(not(shared)).as("the runtime's own"))
                .check(main);
    }

    @Test
    void commandsAreNotPublic() {
        classes()
                .that()
                .areAnnotatedWith(Command.class)
                .and()
                .doNotHaveSimpleName("DlqMain")
                .should()
                .bePackagePrivate()
                .check(main);
    }
}
