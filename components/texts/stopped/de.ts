import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  consoleStopped: 'Die Konsole funktioniert nicht mehr',
  consoleStoppedAbout:
    'In der Konsole ist ein Fehler aufgetreten; Sie haben ihn nicht verursacht. Änderungen, die der Server bestätigt hat, sind gespeichert.',
  goToStart: 'Zur Startseite',
}
