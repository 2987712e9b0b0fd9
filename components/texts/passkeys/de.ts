import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  youAlreadyHavePasskey: 'Sie haben auf diesem Gerät schon einen Passkey für diese Website.',
  useAnotherDevice:
    'Fügen Sie den Passkey auf einem anderen Gerät hinzu, oder entfernen Sie zuerst den Passkey dieses Geräts.',
  deviceNotAsked:
    'Ihr Gerät wurde nicht nach einem Passkey gefragt, weil diese Seite das nötige Programm nicht laden konnte.',
  yourDeviceDidNot:
    'Ihr Gerät hat keinen Passkey geliefert: Die Anfrage wurde abgebrochen oder ist abgelaufen, die Prüfung von PIN, Fingerabdruck oder Gesicht ist fehlgeschlagen, oder das Gerät hat keinen Passkey für diese Website.',
  yourDeviceCreatedNone:
    'Ihr Gerät hat keinen Passkey erstellt: Die Anfrage wurde abgebrochen oder ist abgelaufen, oder die Prüfung von PIN, Fingerabdruck oder Gesicht ist fehlgeschlagen.',
  addItAgain:
    'Versuchen Sie es erneut. Ihr Gerät muss eine PIN, Ihren Fingerabdruck oder Ihr Gesicht prüfen können; wenn es das nicht kann, verwenden Sie ein anderes Gerät.',
}
