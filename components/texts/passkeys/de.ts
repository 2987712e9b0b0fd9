import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  youAlreadyHavePasskey: 'Sie haben auf diesem Gerät schon einen Passkey für diese Website.',
  deviceNotAsked:
    'Ihr Gerät wurde nicht nach einem Passkey gefragt, weil diese Seite das nötige Programm nicht laden konnte.',
  yourDeviceDidNot:
    'Ihr Gerät hat keinen Passkey geliefert: Die Anfrage wurde abgebrochen oder ist abgelaufen, oder das Gerät hat keinen Passkey für diese Website.',
}
