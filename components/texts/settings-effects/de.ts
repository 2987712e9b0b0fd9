import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  name: '{name, select, separationOfDuties {Trennung der Aufgaben} machineDecisions {Entscheidungen durch Maschinen} unmaskSecondPerson {eine zweite Person für unmaskierte Werte} passkeyForTiers {Passkeys für Freigaben} readingSeconds {Lesezeit vor einer Freigabe} retentionDays {Aufbewahrung} archiveRetentionDays {Aufbewahrung von Archiven} archivesOnErasure {Archive bei einer Löschung} clientRegistration {Registrierung von Programmen} rolesFrom {die Quelle der Rollen} roleClaim {der Claim mit den Rollen} roleMapping {die Rollen, die Namen beim Anbieter geben} groupClaim {der Claim mit den Gruppen} other {{name}}}',
  separationOfDuties:
    '{value, select, off {Anfragende Personen können ihre eigenen Anfragen genehmigen, auch offene.} other {Anfragende Personen können ihre eigenen Anfragen nicht mehr genehmigen.}}',
  machineDecisions:
    '{value, select, on {Dienstkonten mit der Berechtigung können Anfragen ohne einen Menschen genehmigen.} other {Dienstkonten können keine Anfragen mehr genehmigen.}}',
  unmaskSecondPerson:
    '{value, select, off {Eine Person mit der Rolle Datenschutz kann sensible Werte allein unmaskiert sehen.} other {Um einen sensiblen Wert unmaskiert zu sehen, ist eine zweite Person nötig.}}',
  noPasskey:
    'Wer Zugriff auf die Sitzung einer Person mit der Rolle Freigabe hat, kann in ihrem Namen genehmigen, bei jedem Risiko.',
  passkeyForTiers:
    'Um Anfragen mit dem Risiko {tiers} zu genehmigen, ist der Passkey der genehmigenden Person nötig; bei anderen nicht.',
  noReading: 'Anfragen mit hohem und kritischem Risiko können genehmigt werden, sobald sie geöffnet sind.',
  readingSeconds:
    'Anfragen mit hohem und kritischem Risiko können {seconds} Sekunden nach dem Öffnen genehmigt werden.',
  noRetention: 'Nichts wird wegen seines Alters gelöscht.',
  retentionDays:
    'Daten, die älter als {days} Tage sind, werden gelöscht und können bei einer Prüfung nicht mehr gezeigt werden.',
  noArchiveRetention: 'Nachweisarchive werden nicht wegen ihres Alters gelöscht.',
  archiveRetentionDays:
    'Nachweisarchive werden {days} Tage nach ihrer Erstellung gelöscht; ihre Hashes bleiben erhalten.',
  archivesOnErasure:
    '{value, select, delete {Eine Löschung löscht die Nachweisarchive, die Daten der betroffenen Person enthalten; ihre Hashes bleiben erhalten.} other {Eine Löschung kennzeichnet die Nachweisarchive, die Daten der betroffenen Person enthalten, und behält sie.}}',
  clientRegistration:
    '{value, select, on {Jeder MCP-Client kann sich selbst registrieren und danach Menschen bitten, in ihrem Namen Werkzeuge aufrufen zu dürfen.} other {MCP-Clients können sich nicht mehr selbst registrieren, und schon registrierte bekommen keine Token mehr.}}',
  rolesFrom:
    '{value, select, token {Jedes Token bestimmt die Rollen seines Mitglieds: Wer den Identitätsanbieter verwaltet, kann jede zugeordnete Rolle vergeben, und unter Mitglieder können sie nicht mehr geändert werden.} other {Eine Rolle braucht die Mitgliedschaft und das Token. Jede Mitgliedschaft behält die Rollen ihres letzten Tokens, und unter Mitglieder werden sie vergeben.}}',
  roleClaim: 'Rollen werden aus dem Claim {claim} jedes Tokens gelesen.',
  noMapping: 'Nur die Namen unserer Rollen zählen, soweit ein Token sie vergeben darf.',
  roleMapping: 'Beim Identitätsanbieter: {entries}.',
  groupClaim: 'Gruppen werden aus dem Claim {claim} jedes Tokens gelesen.',
  entry: '„{name}“ von {issuer} gibt {role}',
  none: 'keine',
  noLimit: 'ohne Grenze',
  seconds: '{count} Sekunden',
  days: '{count} Tage',
  choice:
    '{value, select, required {erforderlich} off {aus} on {an} mark {kennzeichnen} delete {löschen} member {Mitgliedschaft} token {Token} low {niedrig} medium {mittel} high {hoch} critical {kritisch} other {{value}}}',
  fromTo: '{name} von {before} auf {after}',
  waitingForApproval: 'Wartet auf Freigabe: {changes}.',
}
