import { formatDuration } from '#components/language/formats.ts'
import * as t from '#components/texts/policies/en.ts'
import type { Obligation } from '#lib/schemas/policies.ts'

/** Describes an obligation, with its rule. One of an unknown kind lists all of its parameters. */
export function obligationText({ kind, policyRule, parameters }: Obligation): string {
  return `${(words[kind] ?? unknownKind(kind))(parameters)} (${policyRule})`
}

type Parameters = Obligation['parameters']

const words: Record<string, (parameters: Parameters) => string> = {
  approval: ({ quorum = '', group = '', later, expiresAfterSeconds }) =>
    t.approvalByOf({
      quorum,
      group,
      staged: String(later !== undefined),
      later: later ?? '',
      limited: String(expiresAfterSeconds !== undefined),
      duration: lengthOf(expiresAfterSeconds),
    }),
  mask: ({ paths = '', method = '' }) =>
    t.maskedBefore({ paths: paths.split(',').join(', ') || t.nothingMasked, method }),
  budget: ({ limit = '', unit = '', scope = '', amount = '', windowSeconds }) =>
    t.budgetOfForEach({
      limit,
      unit,
      scope,
      limited: String(windowSeconds !== undefined),
      window: lengthOf(windowSeconds),
      amount,
    }),
}

const lengthOf = (seconds: string | undefined): string =>
  seconds === undefined ? '' : formatDuration(Number(seconds) * 1000)

const unknownKind = (kind: string) => (parameters: Parameters) =>
  [kind, ...Object.entries(parameters).map(([name, value]) => `${name} ${value}`)].join(', ')
