import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  agentRegistered:
    '<object>{name}</object> {versioned, select, true {Version <shown>{version}</shown> } other {}}wurde registriert',
  suspended: '<object>{name}</object> wurde ausgesetzt',
  resumed: '<object>{name}</object> wurde wieder aufgenommen',
  retired: '<object>{name}</object> wurde stillgelegt',
  released:
    '<object>{name}</object> {versioned, select, true {Version <shown>{version}</shown> } other {}}wurde{place, select, true { in <shown>{environment}</shown>} other {}} ausgerollt',
  withdrawn:
    '<object>{name}</object> {versioned, select, true {Version <shown>{version}</shown> } other {}}wurde{place, select, true { in <shown>{environment}</shown>} other {}} zurückgezogen',
  published:
    '<object>{name}</object> {versioned, select, true {Version <shown>{version}</shown> } other {}}wurde veröffentlicht',
  nowApplies:
    '<object>{name}</object> {versioned, select, true {Version <shown>{version}</shown> } other {}}gilt jetzt für {labels, select, true {Agenten mit ihren Labels} other {<shown>{agent}</shown>}}{place, select, true { in <shown>{environment}</shown>} other {}}',
  noLongerApplies:
    '<object>{name}</object> {versioned, select, true {Version <shown>{version}</shown> } other {}}gilt nicht mehr für {labels, select, true {Agenten mit ihren Labels} other {<shown>{agent}</shown>}}{place, select, true { in <shown>{environment}</shown>} other {}}',
  grantApproved: 'Eine Dauerfreigabe wurde{place, select, true { in <shown>{environment}</shown>} other {}} genehmigt',
  grantRevoked: 'Eine Dauerfreigabe wurde{place, select, true { in <shown>{environment}</shown>} other {}} widerrufen',
  invited: '<object>{name}</object> wurde eingeladen',
  otherRoles: '<object>{name}</object> hat andere Rollen bekommen',
  rolesChanged: '<object>{name}</object> hat geänderte Rollen, oder eine Änderung wurde vorgeschlagen',
  maySignIn: '<object>{name}</object> darf sich wieder anmelden',
  removed: '<object>{name}</object> wurde entfernt',
  otherMembers: '<object>{name}</object> hat andere Mitglieder',
  rulesChanged: 'Die Regeln der Organisation haben sich geändert',
  rulesProposed: 'Die Regeln der Organisation haben sich geändert, oder eine Änderung wurde vorgeschlagen',
  accountCreated: '<object>{name}</object> wurde als Dienstkonto angelegt',
  disabled: '<object>{name}</object> wurde deaktiviert',
  accountDisabled: 'Ein Dienstkonto wurde deaktiviert',
  secretStored: '<object>{name}</object> wurde als Geheimnis gespeichert',
  apiKeyCreated: '<object>{name}</object> wurde als API-Schlüssel angelegt',
  revoked: '<object>{name}</object> wurde widerrufen',
  tokenCreated: '<object>{name}</object> wurde als Verbindungstoken angelegt',
  holdSet: 'Eine Löschsperre wurde gesetzt',
  holdReleased: 'Eine Löschsperre wurde aufgehoben',
  keyReplaced: 'Der Schlüssel des Protokolls wurde ersetzt',
}
