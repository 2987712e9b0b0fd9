import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  none: 'keiner',
  shape: '{class}, {length, plural, one {# Zeichen} other {# Zeichen}}',
  emptyList: 'Leere Liste',
  emptyObject: 'Leeres Objekt',
  emptyName: '(leerer Name)',
  emptyText: 'Leerer Text',
  anyValue: 'beliebiger Wert',
  likePattern: 'wie <shown>{pattern}</shown>, wobei * beliebiger Text ist',
  atMost: 'höchstens <shown>{amount}</shown> je Aufruf',
  allEntries: 'Alle {count} Einträge zeigen',
  allCharacters: '… Alle {count} Zeichen zeigen',
  invalid: 'Kein gültiges JSON.',
  notObject: 'Die Eingabe ist ein Objekt: {example}.',
  valueMissing: 'Ein Wert fehlt.',
  singleQuotes: 'Verwenden Sie doppelte Anführungszeichen für Texte.',
  notClosed: 'Das schließende Anführungszeichen des Textes fehlt.',
  unknownEscape: 'Der Text enthält eine unbekannte Escape-Sequenz.',
  notValue: '{token} ist kein JSON-Wert.',
  afterValue: 'Nach dem Wert darf nichts mehr folgen.',
  trailingComma:
    '{close, select, brace {Entfernen Sie das Komma vor der schließenden geschweiften Klammer.} other {Entfernen Sie das Komma vor der schließenden eckigen Klammer.}}',
  separatorMissing:
    '{close, select, brace {Ein Komma oder eine schließende geschweifte Klammer fehlt.} other {Ein Komma oder eine schließende eckige Klammer fehlt.}}',
  nameExpected: 'Hier muss ein Name in doppelten Anführungszeichen stehen.',
  colonMissing: 'Auf den Namen muss ein Doppelpunkt folgen.',
}
