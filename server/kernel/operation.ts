// More than 300 lines: what an operation declares, and how it runs. Each part explains the other.
import { z } from 'zod'
import { ApiError, type ErrorCode } from '#lib/errors.ts'
import type { Permission } from '#lib/permissions.ts'
import { type AuditDetails, appendAudit } from './audit/append.ts'
import type { Admission } from './auth/admit.ts'
import { type Authorized, authorize, type Connected, requireNamedTenant } from './auth/authorize.ts'
import { type Caller, connectionOf, type Principal, type Tenant } from './auth/principal.ts'
import { Unforeseen } from './db/closing.ts'
import type { Transaction } from './db/database.ts'
import { within } from './db/transaction.ts'
import { answered, type Given, remember } from './idempotency.ts'
import { newId } from './ids.ts'
import { readInput } from './input.ts'
import { justified } from './justification.ts'
import { noteOperation } from './observe/request-note.ts'
import { runtime } from './runtime.ts'

/** The context of an operation, whose effects stay inside the transaction. */
export type Context<I> = {
  tx: Transaction
  tenant: Tenant
  principal: Principal
  input: I
  requestId: string
  /** The caller's reason for viewing masked values: the header x-svc-justification. */
  justification?: string
}

export type MutationContext<I> = Context<I> & {
  /** Id of this operation's audit record, known before the record is written. */
  auditId: string
  /**
   * Undefined if `run` may prepare its usual outcome alone (writeKnown). It runs again when the outcome was another one, or when it has
   * thrown Unforeseen: this one.
   */
  unforeseen: string | undefined
  /** Marks the record as "repeated": call it if the requested state already existed and nothing changed. */
  repeated(): void
  /** Adds details to the audit record that only this run knows. */
  note(details: AuditDetails): void
  /** Commits the effects but responds with this error instead of the output; a replay gets the same error. */
  answerWith(error: ApiError): void
}

/** The content of an audit record. Details contain digests, ids and reasons; never content or secrets. */
export type AuditEntry = {
  action: string
  resource: { type: string; id: string }
  reason?: string
  details?: AuditDetails
}

/** 'any': every authenticated member. All other values are described in lib/permissions.ts. */
export type Need = Permission | 'any'

/** `In` is the caller's input, `I` the result of parsing it. */
export type Query<I, O, In = unknown> = Connected & {
  kind: 'query'
  permission: Need
  /** Is also sufficient, for objects of the caller; `run` checks whose they are. */
  permissionForOwn?: Permission
  input: z.ZodType<I, In>
  output: z.ZodType<O>
  /** The input field that names a tenant by its external id: it selects the tenant, like the header. */
  tenantField?: string
  /** The input has the field `justification`, which may come in the header x-svc-justification instead. */
  justified?: true
  /** The operation of the specification's mapping of API-key scopes. */
  apiKeys?: true
  /** The output may contain a secret, or a value that is masked otherwise: it is never compressed. */
  showsSecrets?: true
  run(context: Context<I>): Promise<O>
  /** Replaces `run` for a query that calls other systems: no transaction is open during the calls. */
  ask?(context: Caller & { input: I }): Promise<O>
}

export type Mutation<I, O, In = unknown> = Connected & {
  kind: 'mutation'
  permission: Need
  input: z.ZodType<I, In>
  output: z.ZodType<O>
  /** `output` is undefined if the operation was refused. Returning undefined, if nothing was done, leaves no record. */
  audit(input: I, output: O | undefined): AuditEntry | undefined
  /** The part of the response that a replay by Idempotency-Key may show; by default the whole response. */
  replay?(output: O): O
  justified?: true
  showsSecrets?: true
  /**
   * All effects of `run` are in its transaction, so it may begin before the database has confirmed the caller, and run again for another
   * one.
   */
  contained?: true
  /** The input contains a secret: nothing that would allow guessing it is stored for the Idempotency-Key. */
  confidential?: true
  /** `begin` calls another system: no transaction may be open during the call. */
  prepares: boolean
  /** The work before the transaction (calls to another system); returns the work inside it. */
  begin(context: Caller & { input: I }): Promise<(context: MutationContext<I>) => Promise<O>>
}

type Definition<I, O, In> = Omit<Mutation<I, O, In>, 'kind' | 'begin' | 'prepares'>

export type Subscription<I, E, In = unknown> = {
  kind: 'subscription'
  permission: Need
  input: z.ZodType<I, In>
  /** Throws before the stream begins if there is nothing to follow, so that the refusal has its own status over HTTP. */
  check?(context: Caller & { input: I }): Promise<void>
  /** Yields [event id, event] until `signal` aborts. Opens its own short transactions. */
  run(
    context: Caller & {
      input: I
      signal: AbortSignal
      /** Bytes waiting for the reader; undefined on transports that pull one event after the other. */
      buffered?: (() => number) | undefined
    },
  ): AsyncIterable<[id: string, event: E]>
}

export type Operation<I, O> = Query<I, O> | Mutation<I, O>

/** The type-independent part of an operation's declaration, from which the catalog is built. */
export type Declared = Omit<Query<unknown, unknown>, 'kind' | 'output' | 'run' | 'ask'> & {
  kind: 'query' | 'mutation' | 'subscription'
  output?: z.ZodType
}

export const noInput = z.union([z.undefined(), z.null(), z.strictObject({})]).transform(() => undefined)

export const query = <I, O, In>(definition: Omit<Query<I, O, In>, 'kind'>): Query<I, O, In> => ({
  kind: 'query',
  ...definition,
})
/** A query that calls another system: `ask` runs without an open transaction and reads in short ones of its own. */
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
/** A mutation that calls another system first: `prepare` runs without a transaction, and `run` gets its result. */
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

/** A refused operation: its effects are rolled back, and the attempt stays in the audit log. */
class Refusal extends ApiError {
  readonly audited: AuditDetails | undefined
  constructor(code: ErrorCode, message: string, audited?: AuditDetails, details?: Record<string, unknown>) {
    super(code, message, { details })
    this.audited = audited
  }
}

/** Throw it inside a mutation: rolls everything back, writes `<action>.refused` to the audit log, responds with `code`. */
export const refuse = (
  code: ErrorCode,
  message: string,
  audited?: AuditDetails,
  details?: Record<string, unknown>,
): ApiError => new Refusal(code, message, audited, details)

/** Whether the database alone decides if a call of this operation has an effect: it may begin before the caller is confirmed. */
export const isContained = (operation: Pick<Declared, 'kind'>): boolean =>
  operation.kind === 'query'
    ? !('ask' in operation && operation.ask !== undefined)
    : 'contained' in operation && operation.contained === true

export type ExecuteOptions = {
  name: string
  idempotencyKey?: string | undefined
  /** The transaction that identified the caller. Without it, or if another call has claimed it, a new one is opened. */
  admission?: Pick<Admission, 'claim' | 'end' | 'confirmed'> | undefined
}

/** Runs an operation for a caller whose input is available: checks the permission, then calls `perform`. */
export const execute = async <I, O>(
  operation: Operation<I, O>,
  caller: Caller,
  rawInput: unknown,
  options: ExecuteOptions,
): Promise<O> => await perform(authorize(caller, operation), rawInput, options)

/** The only way to run an authorized operation: input → transaction → run → audit → commit. */
export async function perform<I, O>(
  { operation, caller }: Authorized<Operation<I, O>>,
  rawInput: unknown,
  options: ExecuteOptions,
): Promise<O> {
  noteOperation(options.name)
  const input = readInput(operation.input, operation.justified === true ? justified(rawInput, caller) : rawInput)
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
  const attempt = (unforeseen?: string) =>
    inTransaction((tx) => mutate(operation, run, { ...caller, tx, input, unforeseen }, options))
  const given = await attempt()
    .catch((error: unknown) => {
      if (error instanceof Unforeseen) return attempt(error.outcome)
      throw error
    })
    .catch(async (error: unknown) => {
      // Only a member's attempt is recorded.
      const isCaller = (await options.admission?.confirmed?.()) ?? true
      if (error instanceof Refusal && isCaller) await recordRefusal(operation, caller, input, error)
      throw error
    })
  if ('error' in given) throw given.error
  return given.output
}

/** Starts a subscription. Throws before the stream starts, so that a refusal has its own status over HTTP. */
export async function subscribe<I, E>(
  { operation, caller }: Authorized<Subscription<I, E>>,
  rawInput: unknown,
  transport: { signal: AbortSignal; buffered?: (() => number) | undefined },
): Promise<AsyncIterable<[id: string, event: E]>> {
  const input = readInput(operation.input, rawInput)
  await operation.check?.({ ...caller, input })
  return operation.run({ ...caller, ...transport, input })
}

/** The caller as audit records name it. */
export const actorOfCall = ({ kind, memberId, username }: Principal) => ({ type: kind, id: memberId, name: username })

async function mutate<I, O>(
  operation: Mutation<I, O>,
  run: (context: MutationContext<I>) => Promise<O>,
  given: Context<I> & Pick<MutationContext<I>, 'unforeseen'>,
  { idempotencyKey, name }: ExecuteOptions,
): Promise<Given<O>> {
  const { tx, input, unforeseen: _, ...caller } = given
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
  const output = await run({ ...given, auditId, repeated, note, answerWith })
  const entry = operation.audit(input, output)
  if (entry !== undefined)
    await appendAudit(tx, caller.tenant, {
      auditId,
      actor: actorOfCall(caller.principal),
      requestId: caller.requestId,
      ...entry,
      details: { ...entry.details, ...noted, ...connectionOf(caller) },
    })
  const answer = error === undefined ? { output } : { error }
  if (identity !== undefined)
    await remember(tx, identity, 'error' in answer ? answer : { output: operation.replay?.(output) ?? output })
  return answer
}

/** In a new transaction, because the operation's was rolled back. If it fails, the caller gets its error instead. */
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
      details: { ...entry.details, code: refusal.code, ...refusal.audited, ...connectionOf(caller) },
    }),
  )
}
