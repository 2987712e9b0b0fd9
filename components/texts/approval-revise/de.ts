import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  proposeOtherArgumentsUntil:
    'Schlagen Sie bis <at>Zeit</at> andere Argumente vor. Das ist eine neue Anfrage, für die keine frühere Stimme zählt.',
  maskedArguments:
    '{count, plural, one {Ein Argument ist} other {# Argumente sind}} maskiert oder Teil einer Liste oder eines Objekts und nur über die API zu ändern.',
  newRequestWasNot: 'Die neue Anfrage wurde nicht gestellt.',
  reloadThisPageTo: 'Laden Sie diese Seite neu, um zu sehen, ob eine andere Anfrage folgte.',
  changeArgumentFirst: 'Ändern Sie zuerst ein Argument.',
  proposing: 'Wird vorgeschlagen…',
  proposeTheseArguments: 'Diese Argumente vorschlagen',
  containsHiddenOrLook: 'Enthält verborgene oder ähnlich aussehende Zeichen: <shownText>{children}</shownText>',
}
