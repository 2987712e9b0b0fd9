import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  notNow: 'Jetzt nicht',
  close: 'Schließen',
  approversDecide: 'Die Personen, die Änderungen genehmigen, entscheiden darüber.',
  proposing: 'Wird vorgeschlagen…',
  proposed: 'Vorgeschlagen. {decides} <link>Anfrage öffnen</link>',
  notProposed: 'Der Vorschlag wurde nicht gesendet.',
  proposedUnknown: 'Schließen Sie diesen Dialog, und sehen Sie in der Liste nach, bevor Sie es erneut vorschlagen.',
  waitsForApproval:
    '{what} Die Änderung gilt, sobald eine andere Person, die Änderungen genehmigen darf, sie genehmigt hat. <link>Anfrage öffnen</link>',
}
