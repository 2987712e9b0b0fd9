import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  registered: 'Registriert',
  active: 'Aktiv',
  suspended: 'Ausgesetzt',
  retired: 'Stillgelegt',
  proposed: 'Vorgeschlagen',
  superseded: 'Ersetzt',
  revoked: 'Widerrufen',
  rejected: 'Abgelehnt',
  withdrawn: 'Zurückgezogen',
  refusedAtNextCall:
    '{kind, select, binding {Die Version gilt dort nicht mehr. Ohne eine andere Bindung kann der Agent in dieser Umgebung nicht laufen.} other {Der Agent kann in dieser Umgebung nicht laufen, bis ein anderes seiner Releases genehmigt ist.}} Laufende Ausführungen werden beim nächsten Aufruf abgelehnt.',
  withdrawThe: '{kind, select, binding {Bindung zurückziehen} other {Release zurückziehen}}',
  withdrawingThe: '{kind, select, binding {Bindung wird zurückgezogen} other {Release wird zurückgezogen}}…',
  leaveItProposed: 'Vorschlag stehen lassen',
  withdrawOf:
    '{kind, select, binding {Die Bindung von {about} zurückziehen?} other {Das Release von {about} zurückziehen?}}',
  itsApprovalRequestIs: 'Die Anfrage um Freigabe wird abgebrochen. Was aktiv ist, bleibt, wie es ist.',
  isWithdrawn: '{kind, select, binding {Die Bindung ist zurückgezogen.} other {Das Release ist zurückgezogen.}}',
  wasNotWithdrawn:
    '{kind, select, binding {Die Bindung wurde nicht zurückgezogen.} other {Das Release wurde nicht zurückgezogen.}}',
  revokeThe: '{kind, select, binding {Bindung widerrufen} other {Release widerrufen}}',
  revokingThe: '{kind, select, binding {Bindung wird widerrufen} other {Release wird widerrufen}}…',
  leaveItActive: 'Aktiv lassen',
  revokeOf: '{kind, select, binding {Die Bindung von {about} widerrufen?} other {Das Release von {about} widerrufen?}}',
  isRevoked: '{kind, select, binding {Die Bindung ist widerrufen.} other {Das Release ist widerrufen.}}',
  wasNotRevoked:
    '{kind, select, binding {Die Bindung wurde nicht widerrufen.} other {Das Release wurde nicht widerrufen.}}',
  policiesThatChangedSince: 'Richtlinien, die sich seit dem Vorschlag von {of} geändert haben',
  policy: 'Richtlinie',
  mode: 'Modus',
  enforced: 'Durchgesetzt',
  shadowOnlyRecorded: 'Beobachten: nur aufgezeichnet',
  inRelease: 'Im Release',
  boundNow: 'Jetzt gebunden',
  notBound: 'Nicht gebunden',
  version: 'Version {version}',
}
