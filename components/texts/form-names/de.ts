import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  nameMissing:
    '{of, select, environment {Geben Sie den Namen der Umgebung ein.} group {Geben Sie den Namen der Gruppe ein.} other {Geben Sie den Namen der Richtlinie ein.}}',
  nameTooLong: 'Ein Name kann höchstens {limit} Zeichen haben.',
  nameFormat:
    'Verwenden Sie Kleinbuchstaben, Ziffern und Bindestriche. Beginnen Sie mit einem Buchstaben oder einer Ziffer.',
}
