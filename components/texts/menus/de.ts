import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  theme: 'Farben',
  matchDevice: 'Wie dieses Gerät',
  light: 'Hell',
  dark: 'Dunkel',
  language: 'Sprache',
  asOrganisation: 'Wie die Organisation: {language}',
  asBrowser: 'Wie dieser Browser es wünscht',
  alsoInMails: 'In jedem Browser und in Ihren Mails',
  storingLanguage: 'Sprache wird gespeichert…',
  languageNotStored: 'Die Sprache wurde nicht geändert. {problem}',
  languageUnknown: 'Es ist unbekannt, ob die Sprache geändert wurde. {problem} Wählen Sie sie noch einmal.',
  signOut: 'Abmelden',
  organisations: 'Ihre Organisationen',
  showTimes: 'Zeiten zeigen in',
  thisDevice: 'Dieses Gerät',
  thisDeviceZone: 'Dieses Gerät ({zone})',
  areas: 'Die Bereiche der Konsole',
}
