import { z } from 'zod'
import { EnvironmentName, Id, JsonObject, PlacedIssue } from '#lib/schemas/common.ts'
import { DecisionReason, Effect, Obligation } from '#lib/schemas/policies.ts'

/** A rule as a reader meets it: what it is about, in words where it can be said completely, and its text. */
export const RuleView = z.object({
  /** Its @id. */
  rule: z.string(),
  effect: z.enum(['permit', 'forbid']),
  title: z.string().nullable(),
  message: z.string().nullable(),
  /** Null if words would leave something out: then only the text says what the rule is. */
  words: z.string().nullable(),
  /** The obligation that lifts a soft forbid, with its annotations without their prefix. */
  obligation: z.string().nullable(),
  parameters: z.record(z.string(), z.string()),
  /** The name of the only agent to which it can apply. */
  onlyAgent: z.string().nullable(),
  /** The line where its text begins, and the text. */
  line: z.int(),
  text: z.string(),
})
export type RuleView = z.infer<typeof RuleView>

export const PolicyRulesInput = z.strictObject({ policyId: Id, version: z.int32().min(1) })
/** The number of decisions that a rule determined. */
export const RuleCounts = z.object({ allow: z.int(), deny: z.int(), require_approval: z.int() })
export type RuleCounts = z.infer<typeof RuleCounts>
/** An agent whose calls the version decides about, or only compares in shadow. */
export const ReachedAgent = z.object({
  agentId: Id,
  agentName: z.string(),
  displayName: z.string(),
  environment: EnvironmentName,
  mode: z.enum(['enforce', 'shadow']),
  /** Bound to the agent itself, or to labels of its released version. */
  by: z.enum(['agent', 'labels']),
})
export type ReachedAgent = z.infer<typeof ReachedAgent>
export const PolicyRules = z.object({
  rules: z.array(RuleView.extend({ decisions: RuleCounts })),
  /** The period of the counts. */
  since: z.iso.datetime(),
  /** False if there were more decisions in the period than are counted: the newest. */
  allCounted: z.boolean(),
  reach: z.array(ReachedAgent),
  /** True if `reach` is only the first part. */
  reachesMore: z.boolean(),
})

/** A call to try a text on. It is not made. */
export const ExampleCall = z.strictObject({
  tool: z
    .string()
    .max(200)
    .regex(/^[^/\s]+\/\S+$/, 'Must be the tool as server/name.'),
  sideEffect: z.enum(['none', 'read', 'write', 'irreversible']).default('write'),
  /** The JSON Schema of its arguments; by default the one that its server declares. */
  inputSchema: JsonObject.optional(),
  arguments: JsonObject,
  environment: EnvironmentName.default('production'),
  /** Tool calls that the execution has made before. */
  earlierCalls: z.int().min(0).max(1_000_000).default(0),
})
export type ExampleCall = z.input<typeof ExampleCall>
export const PreviewInput = z.strictObject({
  source: z.string().max(1_000_000),
  calls: z.array(ExampleCall).max(20).default([]),
})
export const PreviewOutput = z.object({
  /** Why the text would be refused. If there are any, it is not tried. */
  problems: z.array(PlacedIssue),
  rules: z.array(RuleView),
  /** For each call what the text alone decides, with every budget unused. */
  outcomes: z.array(z.object({ effect: Effect, obligations: z.array(Obligation), reasons: z.array(DecisionReason) })),
})
export type PreviewOutput = z.infer<typeof PreviewOutput>
