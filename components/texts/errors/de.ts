import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  pageStopped: 'Diese Seite funktioniert nicht mehr',
  pageStoppedAbout:
    'In der Seite ist ein Fehler aufgetreten; Sie haben ihn nicht verursacht. Änderungen, die der Server bestätigt hat, sind gespeichert. Nicht gesendete Eingaben sind vielleicht verloren.',
  showAgain: 'Seite erneut zeigen',
  errorInPage: 'In der Seite ist ein Fehler aufgetreten.',
  stored:
    'Änderungen, die der Server bestätigt hat, sind gespeichert. Nicht gesendete Eingaben sind vielleicht verloren.',
  showOrOpen: 'Zeigen Sie die Seite erneut, oder öffnen Sie eine andere.',
}
