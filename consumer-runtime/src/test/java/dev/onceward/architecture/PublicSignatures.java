package dev.onceward.architecture;

import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.lang.annotation.Annotation;
import java.util.Set;
import java.util.stream.Stream;

/** What a user of a class sees of it: supertypes, type parameters, and the signatures of its public and protected members. */
final class PublicSignatures {
    private PublicSignatures() {}

    /** Public or protected, and so are the classes around it. */
    static DescribedPredicate<JavaClass> areVisibleToUsers() {
        return DescribedPredicate.describe(
                "are visible to users",
                type -> Stream.iterate(
                                type, c -> c != null, c -> c.getEnclosingClass().orElse(null))
                        .allMatch(c -> isVisible(c.getModifiers())));
    }

    static ArchCondition<JavaClass> mentionNothingThatIs(DescribedPredicate<JavaClass> forbidden) {
        return new ArchCondition<>("mention nothing in a public signature that is " + forbidden.getDescription()) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                report(type.getFullName(), ofClass(type), events);
                type.getMembers().stream()
                        .filter(member -> isVisible(member.getModifiers()))
                        .forEach(member -> report(member.getFullName(), ofMember(member), events));
            }

            private void report(String where, Stream<JavaType> mentioned, ConditionEvents events) {
                mentioned
                        .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                        .map(JavaClass::getBaseComponentType)
                        .filter(forbidden)
                        .distinct()
                        .forEach(type -> events.add(
                                SimpleConditionEvent.violated(type, where + " mentions " + type.getFullName())));
            }
        };
    }

    static ArchCondition<JavaClass> haveAPackageAnnotatedWith(Class<? extends Annotation> annotation) {
        return new ArchCondition<>("have a package annotated with @" + annotation.getSimpleName()) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (!type.getPackage().isAnnotatedWith(annotation)) {
                    events.add(SimpleConditionEvent.violated(
                            type,
                            type.getPackageName() + " has no package-info.java annotated with @"
                                    + annotation.getSimpleName()));
                }
            }
        };
    }

    private static Stream<JavaType> ofClass(JavaClass type) {
        return Stream.of(
                        type.getSuperclass().stream(), type.getInterfaces().stream(), type.getTypeParameters().stream())
                .flatMap(part -> part);
    }

    private static Stream<JavaType> ofMember(JavaMember member) {
        if (member instanceof JavaField field) {
            return Stream.of(field.getType());
        }
        JavaCodeUnit code = (JavaCodeUnit) member;
        Stream<JavaType> result =
                code instanceof JavaMethod method ? Stream.of(method.getReturnType()) : Stream.empty();
        return Stream.of(
                        result,
                        code.getParameterTypes().stream(),
                        code.getTypeParameters().stream(),
                        code.getExceptionTypes().stream())
                .flatMap(part -> part);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return modifiers.contains(PUBLIC) || modifiers.contains(PROTECTED);
    }
}
