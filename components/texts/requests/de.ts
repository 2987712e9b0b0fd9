import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  decided: 'Entschieden',
  rejected: 'Abgelehnt',
  expired: 'Abgelaufen',
  approved: 'Genehmigt',
  ofLastApproved:
    '{words} Von den letzten {amounts} genehmigten {none, select, true {war keiner} other {{larger, plural, one {war 1} other {waren {larger}}}}} größer.',
  smallerThanUsual: 'Kleiner als üblich',
  withinUsualRange: 'Im üblichen Bereich',
  largerThanUsual: 'Größer als üblich',
  timesMedian: '{times} mal der Median',
  clockStopped: 'Frist angehalten',
  expiredAt: 'Abgelaufen um {moment}',
  expiresAt: 'Läuft ab um {moment}',
  expiresIn: 'Läuft ab {left}, {moment}',
  unknown: 'unbekannt',
  needsMe: 'Wartet auf mich',
  mine: 'Meine',
  expiring: 'Läuft bald ab',
  allPending: 'Alle ausstehenden',
  pending: 'Ausstehend',
  canceled: 'Abgebrochen',
  mailIsNotSet: 'Mail ist auf diesem Server nicht eingerichtet (SMTP_URL).',
}
