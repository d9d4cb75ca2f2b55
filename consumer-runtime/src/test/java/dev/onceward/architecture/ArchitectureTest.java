package dev.onceward.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The shape of the code that no compiler checks. */
class ArchitectureTest {
    /** What users compile against. Every other package of this module is internal. */
    private static final String[] EXPORTED = {
        "dev.onceward.runtime", "dev.onceward.handler", "dev.onceward.config", "dev.onceward.catalog"
    };

    private static final String MIGRATIONS = "dev.onceward.migrations"; // another module's

    private static final DescribedPredicate<JavaClass> INTERNAL = resideInAnyPackage("dev.onceward..")
            .and(resideOutsideOfPackages(EXPORTED))
            .and(resideOutsideOfPackages(MIGRATIONS))
            .as("internal");

    /** The machine itself; what asks a server; what the thread of the team's own waits in. */
    private static final Set<String> NOT_SIMULATED =
            Set.of("RealMachine", "LockMonitor", "KafkaCluster", "FactsLoader", "Lifecycle", "WorkerHandle");

    private final JavaClasses main = new ClassFileImporter().importPath(Path.of("target", "classes"));

    @Test
    void packagesAreFreeOfCycles() {
        slices().matching("dev.onceward.(*)..").should().beFreeOfCycles().check(main);
    }

    @Test
    void noInternalTypeStandsInAPublicSignature() {
        classes()
                .that()
                .resideInAnyPackage(EXPORTED)
                .and(PublicSignatures.areVisibleToUsers())
                .should(PublicSignatures.mentionNothingThatIs(INTERNAL))
                .check(main);
    }

    @Test
    void whatUsersWriteAgainstDoesNotDependOnTheEngine() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.onceward.handler", "dev.onceward.config", "dev.onceward.catalog")
                .should()
                .dependOnClassesThat(INTERNAL)
                .check(main);
    }

    /** What goes round it, a simulation cannot decide about. */
    @Test
    void theEngineHasTimeAndThreadsFromItsMachineAlone() {
        noClasses()
                .that()
                .resideInAPackage("dev.onceward.engine")
                .and(describe("simulated", type -> !NOT_SIMULATED.contains(type.getSimpleName())))
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .callMethod(Thread.class, "join")
                .orShould()
                .callMethod(Object.class, "wait", long.class)
                .orShould()
                .callConstructor(Thread.class, Runnable.class, String.class)
                .orShould()
                .dependOnClassesThat()
                .resideInAPackage("java.util.concurrent.locks")
                .check(main);
    }

    @Test
    void everyPackageIsNullMarked() {
        classes()
                .should()
                .resideInAPackage("dev.onceward..")
                .andShould(PublicSignatures.haveAPackageAnnotatedWith(NullMarked.class))
                .check(main);
    }

    @Test
    void flywayIsNoPartOfTheRuntime() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.flywaydb..")
                .orShould()
                .dependOnClassesThat(describe(
                        "need Flyway", type -> type.getFullName().equals("dev.onceward.migrations.Migrations")))
                .check(main);
    }

    @Test
    void nothingWritesToTheTerminalOrLogsPastSlf4j() {
        GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS.check(main);
        GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING.check(main);
    }
}
