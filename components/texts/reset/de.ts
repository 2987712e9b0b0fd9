import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  resetTitle: 'Ihr Passwort wurde zurückgesetzt',
  resetAbout:
    'Jemand anderes hat das Passwort dieses Kontos zurückgesetzt. Sie wurden überall abgemeldet, und das alte Passwort gilt nicht mehr.',
  resetWhen: 'Wann',
  resetBy: 'Durch',
  resetByOperator: 'Den Betreiber dieser Installation',
  resetPasskeys: 'Entfernte Passkeys',
  none: 'Keine',
  resetAdvice:
    'Wenn Sie nicht darum gebeten haben, wenden Sie sich an eine andere Person der Administration: Wer den Link hatte, konnte in Ihrem Namen handeln, bis Sie Ihr Passwort gesetzt haben. Das Protokoll führt alles auf, was mit diesem Konto getan wurde.',
  acknowledging: 'Das Zurücksetzen wird bestätigt…',
  acknowledge: 'Zurücksetzen bestätigen',
}
