import { z } from 'zod'
import { ApiError, type ErrorCode } from '#lib/errors.ts'
import type { Permission } from '#lib/permissions.ts'
import { type AuditDetails, appendAudit } from './audit/append.ts'
import type { Admission } from './auth/admit.ts'
import { type Authorized, authorize, requireNamedTenant } from './auth/authorize.ts'
import type { Caller, Principal, Tenant } from './auth/principal.ts'
import type { Transaction } from './db/database.ts'
import { within } from './db/transaction.ts'
import { answered, type Given, remember } from './idempotency.ts'
import { newId } from './ids.ts'
import { readInput } from './input.ts'
import { runtime } from './runtime.ts'

/** What an operation works with. Effects outside the transaction are not its business. */
export type Context<I> = {
  tx: Transaction
  tenant: Tenant
  principal: Principal
  input: I
  requestId: string
  /** Why they want to see what is masked: the header x-svc-justification. */
  justification?: string
}

export type MutationContext<I> = Context<I> & {
  /** Id of this act's audit record, known before it is written. */
  auditId: string
  /** Call it when the same thing was there already and nothing was done: the record then says "repeated". */
  repeated(): void
  /** Adds to the details of the record what only this run knows. */
  note(details: AuditDetails): void
  /** What was done is committed, and the caller hears this error instead of the output; a replay hears it again. */
  answerWith(error: ApiError): void
}

/** What an audit record says happened. Details hold digests, ids and reasons; never content or secrets. */
export type AuditEntry = {
  action: string
  resource: { type: string; id: string }
  reason?: string
  details?: AuditDetails
}

/** 'any' is any authenticated member; everything else is named in lib/permissions.ts. */
export type Need = Permission | 'any'

/** `In` is what a caller sends, `I` what the schema makes of it. */
export type Query<I, O, In = unknown> = {
  kind: 'query'
  permission: Need
  input: z.ZodType<I, In>
  output: z.ZodType<O>
  /** The member of the input that names a tenant by its external id: it selects the tenant as the header does. */
  tenantField?: string
  run(context: Context<I>): Promise<O>
  /** Instead of `run`, for a query that asks other systems: no transaction is open meanwhile. */
  ask?(context: Caller & { input: I }): Promise<O>
}

export type Mutation<I, O, In = unknown> = {
  kind: 'mutation'
  permission: Need
  input: z.ZodType<I, In>
  output: z.ZodType<O>
  /** `output` is undefined when the act was refused. Gives undefined only where nothing was done: that leaves no record. */
  audit(input: I, output: O | undefined): AuditEntry | undefined
  /** The part of the answer that a replay by Idempotency-Key may show; without it the whole answer. */
  replay?(output: O): O
  /** The input holds a secret: for Idempotency-Key nothing is kept of it from which it could be guessed. */
  confidential?: true
  /** `begin` asks another system: no transaction may be open meanwhile. */
  prepares: boolean
  /** What must happen before the transaction (reading another system); gives what runs inside it. */
  begin(context: Caller & { input: I }): Promise<(context: MutationContext<I>) => Promise<O>>
}

type Definition<I, O, In> = Omit<Mutation<I, O, In>, 'kind' | 'begin' | 'prepares'>

export type Subscription<I, E, In = unknown> = {
  kind: 'subscription'
  permission: Need
  input: z.ZodType<I, In>
  /** Yields [event id, event]; ends when `signal` aborts. It opens its own short transactions. */
  run(
    context: Caller & {
      input: I
      signal: AbortSignal
      /** Bytes that wait for the reader; undefined where the transport asks for one event after the other. */
      buffered?: (() => number) | undefined
    },
  ): AsyncIterable<[id: string, event: E]>
}

export type Operation<I, O> = Query<I, O> | Mutation<I, O>

/** What every operation says of itself, whatever its types: the catalog is made of these. */
export type Declared = {
  kind: 'query' | 'mutation' | 'subscription'
  permission: Need
  input: z.ZodType
  /** A subscription declares none. */
  output?: z.ZodType
  tenantField?: string
}

export const noInput = z.union([z.undefined(), z.null(), z.strictObject({})]).transform(() => undefined)

export const query = <I, O, In>(definition: Omit<Query<I, O, In>, 'kind'>): Query<I, O, In> => ({
  kind: 'query',
  ...definition,
})
/** A query that asks another system: `ask` holds no transaction open; what it reads, it reads in short ones of its own. */
export const askingQuery = <I, O, In>({
  ask,
  ...definition
}: Omit<Query<I, O, In>, 'kind' | 'run' | 'ask'> & {
  ask(context: Caller & { input: I }): Promise<O>
}): Query<I, O, In> => ({
  kind: 'query',
  ...definition,
  ask,
  run: ask,
})
export const mutation = <I, O, In>({
  run,
  ...definition
}: Definition<I, O, In> & { run(context: MutationContext<I>): Promise<O> }): Mutation<I, O, In> => ({
  kind: 'mutation',
  ...definition,
  prepares: false,
  begin: async () => run,
})
/** A mutation that asks another system first: `prepare` holds no transaction open, `run` gets its result. */
export const preparedMutation = <I, O, P, In>({
  prepare,
  run,
  ...definition
}: Definition<I, O, In> & {
  prepare(context: Caller & { input: I }): Promise<P>
  run(context: MutationContext<I> & { prepared: P }): Promise<O>
}): Mutation<I, O, In> => ({
  kind: 'mutation',
  ...definition,
  prepares: true,
  begin: async (caller) => {
    const prepared = await prepare(caller)
    return (context) => run({ ...context, prepared })
  },
})
export const subscription = <I, E, In>(definition: Omit<Subscription<I, E, In>, 'kind'>): Subscription<I, E, In> => ({
  kind: 'subscription',
  ...definition,
})

/** An act that was tried and not allowed: its effects are rolled back, the attempt stays in the audit log. */
class Refusal extends ApiError {
  readonly audited: AuditDetails | undefined
  constructor(code: ErrorCode, message: string, audited?: AuditDetails, details?: Record<string, unknown>) {
    super(code, message, { details })
    this.audited = audited
  }
}

/** Throw it inside a mutation: rolls everything back, writes `<action>.refused` to the audit log, answers with `code`. */
export const refuse = (
  code: ErrorCode,
  message: string,
  audited?: AuditDetails,
  details?: Record<string, unknown>,
): ApiError => new Refusal(code, message, audited, details)

export type ExecuteOptions = {
  name: string
  idempotencyKey?: string | undefined
  /** The transaction in which the caller was found; without it, or when another call of the batch has it, a new one. */
  admission?: Pick<Admission, 'claim' | 'end'> | undefined
}

/** An operation for a caller whose input is at hand: permission, then `perform`. */
export const execute = async <I, O>(
  operation: Operation<I, O>,
  caller: Caller,
  rawInput: unknown,
  options: ExecuteOptions,
): Promise<O> => await perform(authorize(caller, operation), rawInput, options)

/** The one way in which an authorized operation runs: input → transaction → run → audit → commit. */
export async function perform<I, O>(
  { operation, caller }: Authorized<Operation<I, O>>,
  rawInput: unknown,
  options: ExecuteOptions,
): Promise<O> {
  const input = readInput(operation.input, rawInput)
  if (operation.kind === 'query') requireNamedTenant(operation.tenantField, caller, input)
  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
    const claimed = options.admission?.claim()
    return claimed === undefined ? runtime().database.inTenant(caller.tenant.id, work) : within(claimed, work)
  }
  if (operation.kind === 'query') {
    if (operation.ask === undefined) return await inTransaction((tx) => operation.run({ ...caller, tx, input }))
    await options.admission?.end()
    return await operation.ask({ ...caller, input })
  }
  if (operation.prepares) await options.admission?.end()
  const run = await operation.begin({ ...caller, input })
  const given = await inTransaction((tx) => mutate(operation, run, caller, tx, input, options)).catch(
    async (error: unknown) => {
      if (error instanceof Refusal) await recordRefusal(operation, caller, input, error)
      throw error
    },
  )
  if ('error' in given) throw given.error
  return given.output
}

/** The same for a subscription. Throws before the stream begins, so that a refusal has a status of its own over HTTP. */
export const subscribe = <I, E>(
  { operation, caller }: Authorized<Subscription<I, E>>,
  rawInput: unknown,
  transport: { signal: AbortSignal; buffered?: (() => number) | undefined },
): AsyncIterable<[id: string, event: E]> =>
  operation.run({ ...caller, ...transport, input: readInput(operation.input, rawInput) })

/** The caller as audit records name them. */
export const actorOfCall = ({ kind, memberId, username }: Principal) => ({ type: kind, id: memberId, name: username })

async function mutate<I, O>(
  operation: Mutation<I, O>,
  run: (context: MutationContext<I>) => Promise<O>,
  caller: Caller,
  tx: Transaction,
  input: I,
  { idempotencyKey, name }: ExecuteOptions,
): Promise<Given<O>> {
  const identity =
    idempotencyKey === undefined
      ? undefined
      : { caller, operation: name, key: idempotencyKey, input, confidential: operation.confidential === true }
  if (identity !== undefined) {
    const before = await answered(tx, identity)
    if (before !== undefined) return 'error' in before ? before : { output: operation.output.parse(before.output) }
  }
  const auditId = newId()
  let noted: AuditDetails = {}
  const note = (details: AuditDetails) => {
    noted = { ...noted, ...details }
  }
  const repeated = () => note({ repeated: true })
  let error: ApiError | undefined
  const answerWith = (given: ApiError) => {
    error = given
  }
  const output = await run({ ...caller, tx, input, auditId, repeated, note, answerWith })
  const entry = operation.audit(input, output)
  if (entry !== undefined)
    await appendAudit(tx, caller.tenant, {
      auditId,
      actor: actorOfCall(caller.principal),
      requestId: caller.requestId,
      ...entry,
      details: { ...entry.details, ...noted },
    })
  const given = error === undefined ? { output } : { error }
  if (identity !== undefined)
    await remember(tx, identity, 'error' in given ? given : { output: operation.replay?.(output) ?? output })
  return given
}

/** In a transaction of its own: the act's was rolled back. If this can't be written, the caller hears of that instead. */
async function recordRefusal<I, O>(
  operation: Mutation<I, O>,
  caller: Caller,
  input: I,
  refusal: Refusal,
): Promise<void> {
  const entry = operation.audit(input, undefined)
  if (entry === undefined) return
  await runtime().database.inTenant(caller.tenant.id, (tx) =>
    appendAudit(tx, caller.tenant, {
      actor: actorOfCall(caller.principal),
      requestId: caller.requestId,
      ...entry,
      action: `${entry.action}.refused`,
      details: { ...entry.details, code: refusal.code, ...refusal.audited },
    }),
  )
}
