package dev.onceward.testsupport;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The shape of the module that no compiler checks: its two packages stand above each other, and the runtime is not below. */
class ArchitectureTest {
    private final JavaClasses main = new ClassFileImporter().importPath(Path.of("target", "classes"));

    /** Teams test handlers of any version with it; and it judges the runtime, so it must not lean on it. */
    @Test
    void theRuntimeIsNotUsed() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.onceward.runtime..", "dev.onceward.engine..", "dev.onceward.effect..")
                .check(main);
    }

    /** A proxy stands before any server; the servers know nothing of it. */
    @Test
    void theServersDoNotKnowTheProxy() {
        noClasses()
                .that()
                .resideInAPackage("dev.onceward.testsupport")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.onceward.testsupport.proxy..")
                .check(main);
    }
}
