package dev.onceward.dlq;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
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
