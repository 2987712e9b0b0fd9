import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  denied: 'Kein Zugriff auf diese Organisation',
  deniedAbout:
    'Sie sind als <strong>{name}</strong> von {organisation} angemeldet. Dieses Konto ist kein Mitglied von <code>{tenant}</code>, oder es gibt diese Organisation nicht. Es wurden keine ihrer Daten gezeigt.',
  lost: 'Ihr Zugriff auf {organisation} ist beendet',
  lostAbout:
    'Ihre Mitgliedschaft wurde soeben ausgesetzt oder entfernt. Deshalb werden die Daten der Organisation nicht mehr gezeigt. Alles, was Sie gesendet hatten, wurde protokolliert, nicht gesendeter Text nicht. Mehr erfahren Sie von der Administration von {organisation}.',
  goToOwn: 'Zu Ihrer eigenen Organisation',
  signInToOther: 'Bei einer anderen Organisation anmelden',
}
