import { formatDuration } from '#lib/format.ts'
import type { Obligation } from '#lib/schemas/policies.ts'

/** Describes an obligation, with its rule. One of an unknown kind lists all of its parameters. */
export function obligationText({ kind, policyRule, parameters }: Obligation): string {
  return `${(words[kind] ?? unknownKind(kind))(parameters)} (${policyRule})`
}

type Parameters = Obligation['parameters']

const words: Record<string, (parameters: Parameters) => string> = {
  approval: ({ quorum = '', group = '', later, expiresAfterSeconds }) =>
    `Approval by ${quorum} of ${group}${later === undefined ? '' : `, then ${later}`}${within(expiresAfterSeconds)}`,
  mask: ({ paths = '', method = '' }) =>
    `Masked before the call: ${paths.split(',').join(', ') || 'nothing'} (${method})`,
  budget: ({ limit = '', unit = '', scope = '', amount = '', windowSeconds }) =>
    `Budget of ${limit} ${unit} for each ${scope}${within(windowSeconds)}; this call may use ${amount}`,
}

const within = (seconds: string | undefined): string =>
  seconds === undefined ? '' : ` within ${formatDuration(Number(seconds) * 1000)}`

const unknownKind = (kind: string) => (parameters: Parameters) =>
  [kind, ...Object.entries(parameters).map(([name, value]) => `${name} ${value}`)].join(', ')
