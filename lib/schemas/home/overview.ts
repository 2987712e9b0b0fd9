import { z } from 'zod'
import { limits } from '#lib/limits.ts'
import { changeNames } from '#lib/rules/home/changes-of-note.ts'
import { isTimeZone } from '#lib/rules/home/days.ts'
import { ApprovalSummary } from '../approvals.ts'
import { Id, Time } from '../common.ts'
import { ExecutionStatus } from '../executions.ts'

/** The days of all figures, today included. */
export const figureDays = 14
/** More requests that need the caller are not counted. */
export const mostCounted = 100
/** What the home page lists of each kind. */
export const homeRows = 6
export const changeRows = 12

/** Where days begin. */
const TimeZone = z.string().max(64).refine(isTimeZone, 'Use the name of a time zone, such as Europe/Berlin.')
export const ZoneInput = z.strictObject({ timeZone: TimeZone.default('UTC') })

/** Each part is null for a caller that may not read it. */
export const HomeNow = z.object({
  /** Requests that the caller can decide, the soonest to expire first. */
  needs: z
    .object({
      items: z.array(ApprovalSummary),
      /** At most 100. */
      count: z.int(),
      withinHour: z.int(),
    })
    .nullable(),
  underWay: z.object({ running: z.int(), waitingApproval: z.int(), waitingInput: z.int() }).nullable(),
  /** Whether an alarm is open, so that a list of approvals may lack some. What it says is for `audit:read`. */
  alarmOpen: z.boolean().nullable(),
})
export type HomeNow = z.infer<typeof HomeNow>

/** `medianSeconds`: from request to decision, of those that were approved or rejected. */
const DecidedDay = z.object({
  approved: z.int(),
  rejected: z.int(),
  expired: z.int(),
  medianSeconds: z.number().nullable(),
})
/** `failed`: of those that ended, the ones that failed, ran out of time or have an unknown outcome. */
const RunDay = z.object({ ended: z.int(), failed: z.int() })
export type RunDay = z.infer<typeof RunDay>

/** Figures by day, the oldest first. Each part is null for a caller that may not read it. */
export const HomeFigures = z.object({
  /** When each day began. The last one is today. */
  days: z.array(Time),
  decisions: z.array(DecidedDay).nullable(),
  runs: z.array(RunDay).nullable(),
  /** What calls of models have cost, by currency, as decimal amounts. */
  cost: z.array(z.object({ currency: z.string(), byDay: z.array(z.string()) })).nullable(),
  /** The budgets with the smallest remaining share, in windows that have not ended. */
  budgets: z
    .array(
      z.object({
        id: Id,
        policyId: Id,
        policyName: z.string(),
        rule: z.string(),
        /** `calls`, `tokens` or a currency. */
        unit: z.string(),
        limit: z.string(),
        used: z.string(),
        endsAt: Time,
        /** Null for a budget of all agents. */
        agentName: z.string().nullable(),
      }),
    )
    .nullable(),
})
export type HomeFigures = z.infer<typeof HomeFigures>

/** A change of what agents may do, or of who may do what. */
export const Change = z.object({
  auditId: Id,
  /** The action of its audit record. */
  action: z.enum(changeNames),
  at: Time,
  /** Null for what the server did by itself, and for callers that may not read the audit log. */
  by: z.string().nullable(),
  /** The changed object, if it has a name. */
  name: z.string().nullable(),
  /** The object to open: an agent, a policy. */
  objectId: Id.nullable(),
  version: z.string().nullable(),
  environment: z.string().nullable(),
  /** Whose policy or release it is. */
  agentName: z.string().nullable(),
})
export type Change = z.infer<typeof Change>
/** Since the beginning of yesterday, newest first. Each kind by its own permission. */
export const HomeChanges = z.object({ since: Time, items: z.array(Change) })

export const AgentActivityInput = z.strictObject({
  agentIds: z.array(Id).min(1).max(limits.pageRows),
  timeZone: TimeZone.default('UTC'),
})
export const AgentActivity = z.object({
  agentId: Id,
  lastRun: z.object({ executionId: Id, status: ExecutionStatus, startedAt: Time }).nullable(),
  running: z.int(),
  /** Executions that wait for outside input. */
  waitingInput: z.int(),
  /** Pending requests about the agent; null for callers that may not list approvals. */
  pendingApprovals: z.int().nullable(),
  byDay: z.array(RunDay),
})
export type AgentActivity = z.infer<typeof AgentActivity>
export const AgentActivityList = z.object({ days: z.array(Time), items: z.array(AgentActivity) })
