import { z } from 'zod'
import { durationSeconds } from '#lib/duration.ts'
import { parsePath } from '#lib/rules/mask.ts'
import { EnvironmentName, Json, JsonObject } from './common.ts'

const Duration = z
  .string()
  .refine((text) => durationSeconds(text) !== undefined, 'Must be an ISO 8601 duration such as PT1H.')
const Name = z.string().min(1).max(200)
const Url = z.url({ protocol: /^https?$/ }).max(2000)
/** `secretRef` names a secret of the tenant; its value is sent as a bearer token, to this address only. */
const Auth = z.looseObject({ secretRef: Name })
const StepId = z
  .string()
  .regex(
    /^[A-Za-z][\w-]{0,62}$/,
    'Use letters, digits, hyphens and underscores, up to 63 characters, starting with a letter.',
  )
const When = z.string().max(500)

const ToolStep = z.looseObject({
  id: StepId,
  when: When.optional(),
  tool: z.looseObject({ server: Name, name: Name, arguments: JsonObject.default({}) }),
})
/** Exactly one of the three; lib/rules/waits.ts has the further rules, checked with line and column at registration. */
const WaitStep = z.looseObject({
  id: StepId,
  when: When.optional(),
  wait: z.looseObject({
    input: Name.optional(),
    any: z.array(Name).min(1).max(20).optional(),
    all: z.array(Name).min(1).max(20).optional(),
  }),
})
const ModelStep = z.looseObject({
  id: StepId,
  when: When.optional(),
  /** `use` is the name of one of `spec.models`; without it, the first. */
  model: z.looseObject({ prompt: z.string().max(50_000), use: Name.optional() }),
})
export const Step = z.union([ToolStep, WaitStep, ModelStep])
export type Step = z.infer<typeof Step>

const Amount = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'Must be a decimal number with at most six places, in quotes.')
const Currency = z.string().regex(/^[A-Z]{3}$/, 'Must be a currency code such as USD.')
/** A model behind an OpenAI-compatible endpoint. Prices are per million tokens. */
const Model = z.looseObject({
  endpoint: Url,
  model: Name,
  auth: Auth.optional(),
  prices: z.looseObject({ input: Amount, output: Amount, currency: Currency }).optional(),
  maxOutputTokens: z.int().min(1).max(1_000_000).default(4096),
  temperature: z.number().min(0).max(2).optional(),
})
export type Model = z.infer<typeof Model>

/** A page outside, opened by a reviewer. The host is fixed; references may appear in the path and the query only. */
const CardLink = z.looseObject({
  label: z.string().min(1).max(40),
  url: z
    .string()
    .max(2000)
    .refine(
      (url) => /^https:\/\/[^\s/?#@$\\]+([/?#]|$)/.test(url) && URL.canParse(url),
      'Must be an https address whose host does not contain a reference, such as https://crm.example/orders/${input.orderId}.',
    ),
})

/**
 * The facts that reviewers see first: templates over the input and the outputs of earlier steps, masked like them
 * (server/approvals/fill-card.ts).
 */
export const ApprovalCard = z.looseObject({
  title: z.string().min(1).max(200).optional(),
  facts: z
    .array(z.looseObject({ label: z.string().min(1).max(40), value: z.string().min(1).max(500) }))
    .max(12)
    .default([]),
  links: z.array(CardLink).max(5).default([]),
})
export type ApprovalCard = z.infer<typeof ApprovalCard>

/** The `spec` that a release requires. Registration accepts less and warns. */
export const AgentSpec = z.looseObject({
  description: z.string().optional(),
  owner: z.string().optional(),
  risk: z.looseObject({ tier: z.enum(['low', 'medium', 'high', 'critical', 'prohibited']).optional() }).optional(),
  runtime: z
    .looseObject({
      steps: z.array(Step).min(1).max(200).optional(),
      /** A loop: the model answers, or asks for tools; `prompt` may contain \${input.x}; the default is the whole input. */
      chat: Model.extend({
        instructions: z.string().max(50_000).optional(),
        prompt: z.string().max(50_000).optional(),
      }).optional(),
      /** One POST of the input. `idempotent`: the peer does the work once per Idempotency-Key, so the call may be repeated. */
      http: z.looseObject({ url: Url, auth: Auth.optional(), idempotent: z.boolean().default(false) }).optional(),
      /** An agent that speaks A2A 1.0. Its card is read when a release is proposed, and pinned in it. */
      a2a: z.looseObject({ card: Url, auth: Auth.optional() }).optional(),
      observe: z.looseObject({}).nullable().optional(),
    })
    .refine(
      (runtime) => Object.keys(runtime).length === 1,
      'Must contain exactly one of steps, chat, http, a2a, observe.',
    ),
  models: z
    .array(Model.extend({ name: Name }))
    .max(20)
    .optional(),
  tools: z
    .array(
      z.looseObject({
        /** A server that the operator configured by name; with `url` (or an address as `server`) the manifest's own server. */
        mcp: z.looseObject({ server: Name, url: Url.optional(), auth: Auth.optional() }),
        allow: z.array(Name).default([]),
        requireApproval: z.array(Name).default([]),
      }),
    )
    .default([]),
  data: z
    .looseObject({
      sensitive: z
        .array(
          z.looseObject({
            path: z
              .string()
              .refine((path) => parsePath(path) !== undefined, 'Must be a path such as $.customer.email.'),
            class: z.string().min(1).max(100),
          }),
        )
        .default([]),
    })
    .default({ sensitive: [] }),
  /** The inputs that steps can wait for. The default `ttl` is seven days. */
  inputs: z
    .array(
      z.looseObject({
        name: Name,
        ttl: Duration.optional(),
        /** The e-mail address of the member who is notified by mail when the wait opens. */
        ask: z.email().optional(),
        onExpiry: z.enum(['fail', 'continue']).default('fail'),
        default: Json.optional(),
      }),
    )
    .default([]),
  limits: z
    .looseObject({
      timeout: Duration.optional(),
      maxToolCalls: z.int().min(1).max(10_000).optional(),
      maxModelCalls: z.int().min(1).max(10_000).optional(),
      /** How many executions of the agent may run concurrently in one environment; further ones are queued. */
      concurrency: z.int().min(1).max(1000).optional(),
      maxCost: z.looseObject({ amount: Amount, currency: Currency }).optional(),
    })
    .default({}),
  governance: z
    .looseObject({
      approvals: z
        .looseObject({
          group: Name.optional(),
          quorum: z.int().min(1).max(20).optional(),
          expiresAfter: Duration.optional(),
        })
        .default({}),
    })
    .default({ approvals: {} }),
  approvalCard: ApprovalCard.optional(),
  environments: z.array(EnvironmentName).optional(),
})
export type AgentSpec = z.infer<typeof AgentSpec>

/** Supported top-level and `spec` members; others are kept and named in a warning. */
export const knownKeys = {
  top: ['apiVersion', 'kind', 'metadata', 'spec'],
  metadata: ['name', 'version', 'displayName', 'labels', 'annotations'],
  spec: [
    'description',
    'owner',
    'risk',
    'runtime',
    'models',
    'tools',
    'data',
    'inputs',
    'limits',
    'approvalCard',
    'governance',
    'environments',
  ],
} as const
