import type { Translation } from '#components/language/text.ts'

export const german: Translation<typeof import('./en.ts')> = {
  atMostForEach: '{shownName}, höchstens je Aufruf, {currency}',
  sameAsHereMasked: 'dasselbe wie hier (maskiert)',
  likePattern: 'nach einem Muster',
  anyValue: 'ein beliebiger Wert',
  patternFor: 'Muster für {shownName}',
  isAnyTextHere: '* ist beliebiger Text. Hier: <shown>{value}</shown>',
  proposeStandingGrant: 'Dauerfreigabe vorschlagen…',
  callsLikeThisOne:
    'Aufrufe wie dieser laufen dann ohne einen Menschen, bis die Dauerfreigabe endet. Ein zweites Mitglied der Gruppe entscheidet darüber.',
  anotherMemberOfDecides: 'Ein anderes Mitglied von {group} entscheidet darüber.',
  conditionsForEachArgument: 'Bedingungen für jedes Argument',
  inTotal: 'Insgesamt, {currency}',
  calls: 'Aufrufe',
  atMost: 'Höchstens {most}.',
  endsAfter: 'Endet nach',
  reason: 'Grund',
  secondPersonReadsIt: 'Die zweite Person liest ihn im Protokoll.',
  fillInEachLimit: 'Füllen Sie jede Grenze aus.',
  theseTermsCantBe: 'Diese Bedingungen können nicht vorgeschlagen werden.',
  giveReason: 'Geben Sie einen Grund an.',
  whatItWouldHave: 'Was sie bedeutet hätte',
  fillIn: 'Füllen Sie jede Grenze aus, um zu sehen, was die Dauerfreigabe bedeutet hätte.',
  rejectedOnes: 'Abgelehnt:',
  pastNone: 'In den letzten 90 Tagen hat niemand über eine Anfrage zu dieser Aktion entschieden.',
  pastDecided:
    'In den letzten 90 Tagen haben Menschen über {requests, plural, one {eine Anfrage} other {# Anfragen}} zu dieser Aktion entschieden.',
  pastNoneMatched:
    '{requests, plural, one {Sie wäre nicht durch die Dauerfreigabe gelaufen.} other {Keine davon wäre durch die Dauerfreigabe gelaufen.}}',
  pastMatched:
    '{of, select, it {Sie wäre} all {Alle wären} other {{matched, plural, one {# davon wäre} other {# davon wären}}}} durch die Dauerfreigabe gelaufen: {outcome, select, approved {Menschen haben {approved, plural, one {sie genehmigt} other {alle # genehmigt}}} rejected {Menschen haben {rejected, plural, one {sie abgelehnt} other {alle # abgelehnt}}} other {Menschen haben {approved} genehmigt und {rejected} abgelehnt}}.',
  oneDay: 'Ein Tag',
  days: '{days} Tage',
  exactly: 'genau {value}',
}
