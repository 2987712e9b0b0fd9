import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  theme: 'Farben',
  matchDevice: 'Wie dieses Gerät',
  light: 'Hell',
  dark: 'Dunkel',
  language: 'Sprache',
  signOut: 'Abmelden',
  organisations: 'Ihre Organisationen',
  showTimes: 'Zeiten zeigen in',
  thisDevice: 'Dieses Gerät',
  thisDeviceZone: 'Dieses Gerät ({zone})',
  areas: 'Die Bereiche der Konsole',
}
