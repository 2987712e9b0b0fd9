import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  notNow: 'Jetzt nicht',
  close: 'Schließen',
  reason: 'Grund',
  reasonHint: 'Erforderlich. Wird im Protokoll gespeichert.',
  reasonMissing: 'Geben Sie einen Grund ein.',
  reasonTooLong: 'Ein Grund kann höchstens {limit} Zeichen haben.',
  noLongerPossible: 'Das ist nicht mehr möglich.',
  notChanged: 'Die Änderung wurde nicht vorgenommen.',
  unknownChange: 'Ob die Änderung vorgenommen wurde, ist nicht bekannt.',
  sendAgain:
    'Senden Sie sie erneut: Sie wirkt höchstens einmal. Oder schließen Sie diesen Dialog, und sehen Sie in der Liste nach.',
  startAgain: 'Schließen Sie diesen Dialog, sehen Sie sich die Änderungen an, und beginnen Sie von vorn.',
  nothingChanged: '{problem} Es wurde nichts geändert.',
  unknownDone: 'Ob es ausgeführt wurde, ist nicht bekannt.',
  checkState: 'Prüfen Sie den Stand auf der Seite, bevor Sie es erneut versuchen.',
  reviewState: 'Die Seite zeigt den aktuellen Stand. Sehen Sie ihn sich an, und versuchen Sie es dann erneut.',
  currentState: 'Die Seite zeigt den aktuellen Stand.',
  openPending: 'Ausstehende Anfrage öffnen',
  openRequest: 'Anfrage öffnen',
  firstDay: 'Erster Tag (UTC)',
  lastDay: 'Letzter Tag (UTC)',
  enterFirstDay: 'Geben Sie den ersten Tag ein.',
  enterLastDay: 'Geben Sie den letzten Tag ein.',
  lastBeforeFirst: 'Wählen Sie einen letzten Tag, der nicht vor dem ersten liegt.',
  nameMissing:
    '{of, select, environment {Geben Sie den Namen der Umgebung ein.} group {Geben Sie den Namen der Gruppe ein.} other {Geben Sie den Namen der Richtlinie ein.}}',
  nameTooLong: 'Ein Name kann höchstens {limit} Zeichen haben.',
  nameFormat:
    'Verwenden Sie Kleinbuchstaben, Ziffern und Bindestriche. Beginnen Sie mit einem Buchstaben oder einer Ziffer.',
  approversDecide: 'Die Personen, die Änderungen genehmigen, entscheiden darüber.',
  proposing: 'Wird vorgeschlagen…',
  proposed: 'Vorgeschlagen. {decides} <link>Anfrage öffnen</link>',
  notProposed: 'Der Vorschlag wurde nicht gesendet.',
  proposedUnknown: 'Schließen Sie diesen Dialog, und sehen Sie in der Liste nach, bevor Sie es erneut vorschlagen.',
  waitsForApproval:
    '{what} Die Änderung gilt, sobald eine andere Person, die Änderungen genehmigen darf, sie genehmigt hat. <link>Anfrage öffnen</link>',
}
