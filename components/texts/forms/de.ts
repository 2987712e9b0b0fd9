import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  notNow: 'Jetzt nicht',
  reason: 'Grund',
  reasonHint: 'Erforderlich. Wird im Protokoll gespeichert.',
  reasonMissing: 'Geben Sie einen Grund ein.',
  reasonTooLong: 'Ein Grund kann höchstens {limit} Zeichen haben.',
  justificationHint: '{min} bis {max} Zeichen.',
  justificationRule:
    'Eine Begründung muss {min} bis {max} Zeichen haben, mindestens {min} davon sichtbar und {different} verschieden.',
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
  loadingForm: 'Formular wird geladen…',
  draftRestored: 'Sie waren schon auf dieser Seite. Was Sie eingegeben hatten, steht noch da.',
  startOver: 'Von vorn beginnen',
  beingSent: 'Es wird gerade gesendet.',
  openRequest: 'Anfrage öffnen',
}
