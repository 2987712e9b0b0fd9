import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  seeApprovals: 'Freigaben zu sehen',
  loading: 'Wird geladen…',
  theMails: 'Die Mails',
  noOneRequestIs: 'Niemand. Die Anfrage steht im Eingang aller, die darüber entscheiden können.',
  notifyAgain: '{name} erneut benachrichtigen',
  notifyingAgain: '{name} wird erneut benachrichtigt…',
  dontSend: 'Nicht senden',
  sendMailToAgain: 'Die Mail an {name} erneut senden?',
  itIsUnknownWhether:
    'Ob die erste Mail ankam, ist nicht bekannt; sie kann also zweimal ankommen. Eine zweite Mail ändert an der Anfrage nichts.',
  firstMailWasNot: 'Die erste Mail wurde nicht zugestellt, sie kommt also nicht zweimal an.',
  sendingAgain: 'Wird erneut gesendet…',
  mailWasNotSent: 'Die Mail wurde nicht erneut gesendet.',
}
