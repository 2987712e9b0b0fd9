import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  youAlreadyHavePasskey: 'Sie haben auf diesem Gerät schon einen Passkey für diese Website.',
  yourDeviceDidNot:
    'Ihr Gerät hat keinen Passkey geliefert: Die Anfrage wurde abgebrochen oder ist abgelaufen, oder das Gerät hat keinen Passkey für diese Website.',
}
