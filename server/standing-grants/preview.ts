import { ApiError, notFound } from '#lib/errors.ts'
import { type GrantTerms, PreviewGrantInput, PreviewGrantOutput } from '#lib/schemas/approvals/grants.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { query } from '#server/kernel/operation.ts'
import { maskedArguments } from './presentation.ts'
import { simulateGrant } from './simulate.ts'
import { findSource, type Source, whyNotPropose } from './source.ts'
import { amountOf, requireUntil, rulesOf } from './terms.ts'

/** What a standing grant from an approved request could say, and with terms what it would have meant in the last 90 days. */
export const preview = query({
  permission: 'approval:decide',
  input: PreviewGrantInput,
  output: PreviewGrantOutput,
  async run({ tx, tenant, principal, input: { approvalId, terms } }) {
    const found = await findSource(tx, tenant, approvalId)
    if (found === undefined) throw notFound()
    const { approval, source } = found
    const blocked = (await whyNotPropose(tx, tenant, principal, approval, source)) ?? null
    if (source === undefined || blocked !== null)
      return { blocked, arguments: [], amount: null, problem: null, simulation: null }
    const masked = maskedArguments(source)
    const isText = (name: string) => !masked.has(name) && typeof source.arguments[name] === 'string'
    return {
      blocked,
      arguments: Object.entries(source.arguments).map(([argument, value]) => ({
        argument,
        ...(masked.has(argument) ? {} : { value }),
        masked: masked.has(argument),
        text: isText(argument),
      })),
      amount: masked.has('amount') ? null : (amountOf(source.arguments) ?? null),
      ...(terms === undefined
        ? { problem: null, simulation: null }
        : await judge(tx, tenant.id, source, terms, masked)),
    }
  },
})

async function judge(tx: Transaction, tenantId: string, source: Source, terms: GrantTerms, masked: Set<string>) {
  try {
    requireUntil(terms, new Date())
    const rules = rulesOf(terms, source.arguments, masked)
    return { problem: null, simulation: await simulateGrant(tx, tenantId, source.approval.id, terms, rules) }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'bad_request') return { problem: error.message, simulation: null }
    throw error
  }
}
