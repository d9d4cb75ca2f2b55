package dev.onceward.migrations;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private final JavaClasses main = new ClassFileImporter().importPath(Path.of("target", "classes"));

    /** The runtime has this class on its class path, but neither Flyway nor picocli. */
    @Test
    void theCheckOfTheVersionNeedsNothingButJdbc() {
        JavaClass check = main.get(SchemaVersion.class);
        Set<String> packages = Stream.concat(Stream.of(check), ofThisModule(check))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                .filter(type -> !type.isPrimitive())
                .map(JavaClass::getPackageName)
                .filter(name -> !name.startsWith("java"))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(packages).containsExactly("dev.onceward.migrations");
    }

    @Test
    void onlyWhatUsersCallIsPublic() {
        assertThat(main.stream()
                        .filter(type ->
                                type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "MigrateMain",
                        "MigrationException",
                        "Migrations",
                        "SchemaName",
                        "SchemaVersion",
                        "SchemaVersionException");
    }

    @Test
    void onlyTheCommandUsesItsCommandLineLibrary() {
        classes()
                .that()
                .haveNameNotMatching(".*MigrateMain(\\$.*)?")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..", "javax.sql..", "dev.onceward..", "org.flywaydb..", "org.jspecify.."))
                .check(main);
    }

    private static Stream<JavaClass> ofThisModule(JavaClass from) {
        return from.getTransitiveDependenciesFromSelf().stream()
                .map(Dependency::getTargetClass)
                .filter(type -> type.getPackageName().startsWith("dev.onceward"));
    }
}
