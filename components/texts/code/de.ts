import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  checking: 'Wird geprüft…',
  atLine: 'Zeile {line}: {problem}',
  atColumn: 'Zeile {line}, Spalte {column}: {problem}',
  problems: '{count, plural, one {# Problem} other {# Probleme}}',
  warnings: '{count, plural, one {# Warnung} other {# Warnungen}}',
  both: '{errors, plural, one {# Problem} other {# Probleme}}, {warnings, plural, one {# Warnung} other {# Warnungen}}',
  noProblems: 'Keine Probleme gefunden',
  notChecked: 'Der Text konnte nicht geprüft werden: {problem}',
  fixFirst: 'Beheben Sie zuerst die markierten Probleme.',
  warning: 'Warnung: ',
  problem: 'Problem: ',
  problemsIn: 'Probleme in: {label}',
  keys: 'Tab rückt ein; Escape und dann Tab verlässt den Editor.',
}
