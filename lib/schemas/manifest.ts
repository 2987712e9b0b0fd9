// Longer than other files: docs/manifest.md is made from it (npm run docs:manifest), so each member has a description and an example.
import { z } from 'zod'
import { durationSeconds } from '#lib/duration.ts'
import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { mostReminders, mostStages } from '#lib/rules/approval-terms.ts'
import { parsePath } from '#lib/rules/mask.ts'
import { EnvironmentName, Json, JsonObject } from './common.ts'

/** `required` is for a member that another one can replace. */
const key = <T extends z.ZodType>(schema: T, description: string, example: unknown, required?: string): T =>
  schema.meta({ description, examples: [example], ...(required === undefined ? {} : { required }) }) as T

const Duration = z
  .string()
  .refine((text) => durationSeconds(text) !== undefined, 'Must be an ISO 8601 duration such as PT1H.')
  .meta({ format: 'duration' })
const Name = z.string().min(1).max(200)
const Url = z.url({ protocol: /^https?$/ }).max(2000)
const Auth = z.looseObject({
  secretRef: key(
    Name,
    'The name of a secret of the tenant. Its value is sent as a bearer token, to this address only. The address must be one of the secret’s destinations if it has any.',
    'crm',
  ),
})
const auth = key(Auth.optional(), 'How Countersign authenticates at the address. Without it, no credential is sent.', {
  secretRef: 'crm',
})
const StepId = z
  .string()
  .regex(
    /^[A-Za-z][\w-]{0,62}$/,
    'Use letters, digits, hyphens and underscores, up to 63 characters, starting with a letter.',
  )
const stepMembers = {
  id: key(StepId, 'The name of the step, under which later steps refer to its output.', 'order'),
  when: key(
    z.string().max(500).optional(),
    'One comparison of a reference with a literal (==, !=, >, >=, <, <=). The step is skipped if it is false.',
    '${steps.order.output.amount} > 5000',
  ),
}

const ToolStep = z.looseObject({
  ...stepMembers,
  tool: key(
    z.looseObject({
      server: key(Name, 'The tool server, as in spec.tools.', 'payments'),
      name: key(Name, 'The tool. Its entry in spec.tools must allow it.', 'lookup_order'),
      arguments: key(
        JsonObject.default({}),
        'The arguments of the call, with references to the input and to earlier steps.',
        {
          id: '${input.orderId}',
        },
      ),
    }),
    'Calls a tool.',
    { server: 'payments', name: 'lookup_order', arguments: { id: '${input.orderId}' } },
    'one of tool, wait, model',
  ),
})
/** Exactly one of the three; lib/rules/waits.ts has the further rules, checked with line and column at registration. */
const WaitStep = z.looseObject({
  ...stepMembers,
  wait: key(
    z.looseObject({
      input: key(Name.optional(), 'Waits for this input.', 'manager_confirmation'),
      any: key(z.array(Name).min(1).max(20).optional(), 'Waits for the first of these inputs.', [
        'controller',
        'treasurer',
      ]),
      all: key(z.array(Name).min(1).max(20).optional(), 'Waits for all of these inputs.', ['legal', 'works_council']),
    }),
    'Waits for input from outside: exactly one of input, any, all. Each name is declared in spec.inputs, and one step waits for it.',
    { input: 'manager_confirmation' },
    'one of tool, wait, model',
  ),
})
const ModelStep = z.looseObject({
  ...stepMembers,
  model: key(
    z.looseObject({
      prompt: key(
        z.string().max(50_000),
        'The message to the model, with references to the input and to earlier steps.',
        'Summarise this order: ${steps.order.output}',
      ),
      use: key(Name.optional(), 'The name of one of spec.models. The default is the first.', 'small'),
    }),
    'Asks a model. The output is its answer: { content: <text> }.',
    { prompt: 'Summarise this order: ${steps.order.output}' },
    'one of tool, wait, model',
  ),
})
export const Step = z.union([ToolStep, WaitStep, ModelStep])
export type Step = z.infer<typeof Step>

const Amount = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'Must be a decimal number with at most six places, in quotes.')
const Currency = z.string().regex(/^[A-Z]{3}$/, 'Must be a currency code such as USD.')
const currency = key(Currency, 'The currency code, in three capital letters.', 'USD')
/** A model behind an OpenAI-compatible endpoint. */
const Model = z.looseObject({
  endpoint: key(Url, 'The address of an OpenAI-compatible endpoint.', 'https://models.example/v1'),
  model: key(Name, 'The model, as the endpoint names it. Policies see it as model/<name>.', 'small-1'),
  auth,
  prices: key(
    z
      .looseObject({
        input: key(Amount, 'The price of a million input tokens.', '0.50'),
        output: key(Amount, 'The price of a million output tokens.', '1.50'),
        currency,
      })
      .optional(),
    'Prices per million tokens. limits.maxCost and budgets of policies in money need them.',
    { input: '0.50', output: '1.50', currency: 'USD' },
  ),
  maxOutputTokens: key(z.int().min(1).max(1_000_000).default(4096), 'The most tokens of one answer.', 1000),
  temperature: key(z.number().min(0).max(2).optional(), 'The sampling temperature. The default is the endpoint’s.', 0),
})
export type Model = z.infer<typeof Model>

/** The host is fixed; references may appear in the path and the query only. */
const CardLink = z.looseObject({
  label: key(z.string().min(1).max(40), 'The text of the link.', 'Order'),
  url: key(
    z
      .string()
      .max(2000)
      .refine(
        (url) => /^https:\/\/[^\s/?#@$\\]+([/?#]|$)/.test(url) && URL.canParse(url),
        'Must be an https address whose host does not contain a reference, such as https://crm.example/orders/${input.orderId}.',
      ),
    'An https address. References may appear in its path and query, not in its host.',
    'https://crm.example/orders/${input.orderId}',
  ),
})

const Quorum = z.int().min(1).max(20).optional()
const Approvals = z
  .looseObject({
    group: key(
      Name.optional(),
      'The approver group, which must exist when a release is proposed. The default is change-approvers.',
      'refund-approvers',
    ),
    quorum: key(Quorum, 'How many reviewers must approve. The default is 1.', 2),
    stages: key(
      z
        .array(
          z.looseObject({
            group: key(
              Name,
              'The approver group of this stage, which must exist when a release is proposed.',
              'refund-approvers',
            ),
            quorum: key(Quorum, 'How many of its members must approve. The default is 1.', 1),
          }),
        )
        .min(1)
        .max(mostStages)
        .refine((stages) => new Set(stages.map(({ group }) => group)).size === stages.length, {
          message: 'Each stage needs a different group.',
        })
        .optional(),
      'Groups that must approve one after the other, instead of group and quorum. One rejection ends the request, and a person counts in one stage.',
      [{ group: 'refund-approvers' }, { group: 'finance', quorum: 2 }],
    ),
    remindAt: key(
      z.array(z.int().min(1).max(99)).max(mostReminders).optional(),
      'When reviewers who have not decided are reminded, in percent of expiresAfter. Without it, never.',
      [50, 90],
    ),
    escalateAfter: key(
      Duration.optional(),
      'How long the reviewers have before the escalation group decides instead. It must be shorter than expiresAfter. Without it, requests are not escalated by themselves.',
      'PT4H',
    ),
    expiresAfter: key(
      Duration.optional(),
      'How long a request can be decided; then it counts as rejected. The default is one day (P1D).',
      'P7D',
    ),
    pauseOnQuestion: key(
      z.boolean().optional(),
      'Whether a reviewer’s question stops the clock until it is answered. The default is false.',
      true,
    ),
  })
  .refine(({ stages, group, quorum }) => stages === undefined || (group === undefined && quorum === undefined), {
    message: 'stages names groups and quorums itself, without group and quorum.',
    path: ['stages'],
  })
  .refine(
    ({ escalateAfter, expiresAfter }) =>
      (durationSeconds(escalateAfter ?? '') ?? 0) <
      (durationSeconds(expiresAfter ?? 'P1D') ?? Number.POSITIVE_INFINITY),
    {
      error: ({ input }) =>
        isJsonObject(input) && typeof input.expiresAfter === 'string'
          ? `Must be shorter than expiresAfter, which is ${input.expiresAfter}.`
          : 'Must be shorter than expiresAfter, which is one day by default.',
      path: ['escalateAfter'],
    },
  )

/** Templates over the input and the outputs of earlier steps, masked like them (server/approvals/fill-card.ts). */
export const ApprovalCard = z.looseObject({
  title: key(
    z.string().min(1).max(200).optional(),
    'A line below the title of the request, which is made from the tool and its arguments.',
    'Order ${input.orderId}',
  ),
  facts: key(
    z
      .array(
        z.looseObject({
          label: key(z.string().min(1).max(40), 'The name of the fact.', 'Customer'),
          value: key(
            z.string().min(1).max(500),
            'The value, with references. A reference without a value reads “unknown”.',
            '${steps.order.output.customer.name}',
          ),
        }),
      )
      .max(12)
      .default([]),
    'What reviewers see first, in this order.',
    [{ label: 'Customer', value: '${steps.order.output.customer.name}' }],
  ),
  links: key(z.array(CardLink).max(5).default([]), 'Pages outside that a reviewer can open.', [
    { label: 'Order', url: 'https://crm.example/orders/${input.orderId}' },
  ]),
})
export type ApprovalCard = z.infer<typeof ApprovalCard>

/** The server under which releases and policies see the tools of `local`. */
export const localServer = 'local'

const LocalTool = z.looseObject({
  name: key(Name, 'The name of the tool. Policies and policies.evaluate see it as local/<name>.', 'Bash'),
  description: key(
    z.string().max(10_000).default(''),
    'What the tool does, for reviewers and models.',
    'Runs a shell command.',
  ),
  inputSchema: key(
    JsonObject.default({ type: 'object' }),
    'A JSON Schema of the arguments, against which policies are checked.',
    { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  ),
  annotations: key(
    z
      .looseObject({
        title: key(
          z.string().min(1).max(200).optional(),
          'The name that reviewers see. The default is the tool’s name.',
          'Shell command',
        ),
        readOnlyHint: key(z.boolean().optional(), 'True if the tool changes nothing.', false),
        destructiveHint: key(
          z.boolean().optional(),
          'False if the tool only adds. Without a hint, an irreversible change is assumed.',
          true,
        ),
        idempotentHint: key(z.boolean().optional(), 'True if a repeated call has no further effect.', false),
      })
      .optional(),
    'Hints about the effect of the tool, as in the Model Context Protocol.',
    { readOnlyHint: true },
  ),
})
export type LocalTool = z.infer<typeof LocalTool>

/**
 * Gives an entry of local tools the form of all others, so that what reads releases need not know them. With an MCP server,
 * `local` has no effect, as before it was known.
 */
function likeOtherTools(entry: unknown): unknown {
  if (!isJsonObject(entry) || entry.local === undefined) return entry
  const { local, ...others } = entry
  if (others.mcp !== undefined && !(isJsonObject(others.mcp) && others.mcp.server === localServer)) return others
  const names = (Array.isArray(local) ? local : []).flatMap((tool) => (isJsonObject(tool) ? [tool.name] : []))
  return { mcp: { server: localServer }, allow: names, ...entry }
}

const ToolEntry = z.preprocess(
  likeOtherTools,
  z.looseObject({
    mcp: key(
      z.looseObject({
        server: key(
          Name,
          'The name of a server that the operator configured, or of one that the manifest defines with url.',
          'payments',
        ),
        url: key(
          Url.optional(),
          'The address of the manifest’s own server (streamable HTTP).',
          'https://crm.example/mcp',
        ),
        auth,
      }),
      'The MCP server that offers the tools.',
      { server: 'payments' },
      'either mcp or local',
    ),
    local: key(
      z.array(LocalTool).min(1).max(100).optional(),
      'Tools that the agent runs itself, without a server. Needs a runtime other than steps and chat, whose tools Countersign calls.',
      [{ name: 'Bash', inputSchema: { type: 'object', properties: { command: { type: 'string' } } } }],
    ),
    allow: key(
      z.array(Name).default([]),
      'The tools that the agent may call. Each is pinned by the release. For local, the default is all of them.',
      ['lookup_order', 'issue_refund'],
    ),
    requireApproval: key(z.array(Name).default([]), 'Allowed tools of which people approve each call.', [
      'issue_refund',
    ]),
    allowResources: key(
      z.array(z.string().min(1).max(2000)).max(100).optional(),
      'The resources of the server, by URI, that MCP clients may read through the gateway. The default is none.',
      ['docs://refund-rules'],
    ),
    allowPrompts: key(
      z.array(Name).max(100).optional(),
      'The prompts of the server that MCP clients may use through the gateway. The default is none.',
      ['summarise_order'],
    ),
  }),
)

export type InputValue = {
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | undefined
  title?: string | undefined
  description?: string | undefined
  enum?: (string | number | boolean)[] | undefined
  default?: JsonValue | undefined
  format?: 'date' | 'date-time' | 'email' | 'uri' | 'decimal' | undefined
  minLength?: number | undefined
  maxLength?: number | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  items?: InputValue | undefined
  properties?: Record<string, InputValue> | undefined
  required?: string[] | undefined
}
/** Other members of JSON Schema have no effect. A pattern is not supported: a regular expression can take very long. */
const InputValue: z.ZodType<InputValue> = z.lazy(() =>
  z.looseObject({
    type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object']).optional(),
    title: z.string().min(1).max(80).optional(),
    description: z.string().max(500).optional(),
    enum: z
      .array(z.union([z.string().max(200), z.number(), z.boolean()]))
      .min(1)
      .max(100)
      .optional(),
    default: Json.optional(),
    format: z.enum(['date', 'date-time', 'email', 'uri', 'decimal']).optional(),
    minLength: z.int().min(0).optional(),
    maxLength: z.int().min(0).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    items: InputValue.optional(),
    properties: z.record(z.string(), InputValue).optional(),
    required: z.array(z.string()).max(100).optional(),
  }),
)
/** A part of JSON Schema, from which the console makes a form and which inputs must match (lib/rules/manifest/input-schema.ts). */
export const InputSchema = z.looseObject({
  type: key(z.literal('object').optional(), 'An input is always an object.', 'object'),
  properties: key(
    z.record(z.string(), InputValue).optional(),
    'The members by their names: type (string, number, integer, boolean, array, object), title, description, default, enum, format (date, date-time, email, uri, decimal), minLength, maxLength, minimum, maximum, items, and properties and required of objects. Members that are not listed may have any value.',
    { orderId: { type: 'string', title: 'Order', minLength: 1 } },
  ),
  required: key(z.array(z.string()).max(100).optional(), 'The members that an input must have.', ['orderId']),
})
export type InputSchema = z.infer<typeof InputSchema>

export const RiskTier = z.enum(['low', 'medium', 'high', 'critical', 'prohibited'])

/** The `spec` that a release requires. Registration accepts less and warns. */
export const AgentSpec = z.looseObject({
  description: key(z.string().optional(), 'What the agent does.', 'Issues refunds within policy'),
  owner: key(
    z.string().optional(),
    'The e-mail address or username of the member who owns the agent. The member who registers it is always an owner, too.',
    'maria@northwind.example',
  ),
  risk: key(
    z
      .looseObject({
        tier: key(RiskTier.optional(), 'How risky the agent is. Reviewers see it, and policies can use it.', 'high'),
        dataClasses: key(
          Json.optional(),
          'The classes of data that the agent uses, shown when versions are compared.',
          ['personal'],
        ),
      })
      .optional(),
    'How risky the agent is.',
    { tier: 'high' },
  ),
  runtime: key(
    z
      .looseObject({
        steps: key(z.array(Step).min(1).max(200).optional(), 'Tool calls, waits and model calls in order.', [
          { id: 'order', tool: { server: 'payments', name: 'lookup_order' } },
        ]),
        chat: key(
          Model.extend({
            instructions: key(z.string().max(50_000).optional(), 'The system message.', 'You help with refunds.'),
            prompt: key(
              z.string().max(50_000).optional(),
              'The first message of the user, with references to the input. The default is the whole input.',
              '${input.question}',
            ),
          }).optional(),
          'A loop: the model answers, or calls the agent’s tools.',
          { endpoint: 'https://models.example/v1', model: 'small-1' },
        ),
        http: key(
          z
            .looseObject({
              url: key(Url, 'The address that receives the input.', 'https://agent.example/run'),
              auth,
              idempotent: key(
                z.boolean().default(false),
                'True if the peer does the work once per Idempotency-Key, so that Countersign may repeat the call.',
                true,
              ),
            })
            .optional(),
          'One POST of the input; the response is the output.',
          { url: 'https://agent.example/run' },
        ),
        a2a: key(
          z
            .looseObject({
              card: key(
                Url,
                'The address of the agent’s card. It is read when a release is proposed, and pinned in it.',
                'https://agent.example/.well-known/agent-card.json',
              ),
              auth,
            })
            .optional(),
          'An agent that speaks A2A 1.0.',
          { card: 'https://agent.example/.well-known/agent-card.json' },
        ),
        observe: key(
          z.looseObject({}).nullable().optional(),
          'The agent runs outside Countersign, and asks for decisions or calls tools through the gateway.',
          {},
        ),
      })
      .refine(
        (runtime) => Object.keys(runtime).length === 1,
        'Must contain exactly one of steps, chat, http, a2a, observe.',
      ),
    'How the agent runs: exactly one of steps, chat, http, a2a, observe ([runtimes](runtimes.md)).',
    { observe: {} },
  ),
  models: key(
    z
      .array(Model.extend({ name: key(Name, 'The name for model.use.', 'small') }))
      .max(20)
      .optional(),
    'The models that model steps may ask, or that an external agent may ask for.',
    [{ name: 'small', endpoint: 'https://models.example/v1', model: 'small-1' }],
  ),
  tools: key(z.array(ToolEntry).default([]), 'The tools that the agent may call.', [
    { mcp: { server: 'payments' }, allow: ['lookup_order'] },
  ]),
  data: key(
    z
      .looseObject({
        sensitive: key(
          z
            .array(
              z.looseObject({
                path: key(
                  z
                    .string()
                    .refine((path) => parsePath(path) !== undefined, 'Must be a path such as $.customer.email.'),
                  'Where the value is, in any input, argument or output. [*] is each element of a list.',
                  '$.customer.email',
                ),
                class: key(z.string().min(1).max(100), 'The name that replaces the value.', 'pii.email'),
              }),
            )
            .default([]),
          'Values that are masked wherever they occur.',
          [{ path: '$.customer.email', class: 'pii.email' }],
        ),
      })
      .default({ sensitive: [] }),
    'The data that the agent processes.',
    { sensitive: [{ path: '$.customer.email', class: 'pii.email' }] },
  ),
  inputSchema: key(
    InputSchema.optional(),
    'What an execution’s input looks like, as a part of JSON Schema. The console makes a form from it, and an execution with another input is refused.',
    { type: 'object', properties: { orderId: { type: 'string', title: 'Order' } }, required: ['orderId'] },
  ),
  inputs: key(
    z
      .array(
        z.looseObject({
          name: key(Name, 'The name, unique in the manifest.', 'manager_confirmation'),
          ttl: key(
            Duration.optional(),
            'How long a step waits: at most 365 days. The default is seven days (P7D).',
            'P3D',
          ),
          ask: key(
            z.email().optional(),
            'The e-mail address of the member who is notified by mail when the wait opens.',
            'jonas@northwind.example',
          ),
          onExpiry: key(
            z.enum(['fail', 'continue']).default('fail'),
            'What happens without an answer: the execution ends as expired, or continues with default.',
            'continue',
          ),
          default: key(Json.optional(), 'The answer if the input expires. Only with onExpiry: continue.', {
            approved: false,
          }),
        }),
      )
      .default([]),
    'The inputs that steps can wait for ([inputs](inputs.md)).',
    [{ name: 'manager_confirmation', ttl: 'P3D' }],
  ),
  limits: key(
    z
      .looseObject({
        timeout: key(
          Duration.optional(),
          'How long an execution may run. Waiting does not count. The default is one hour (PT1H).',
          'PT15M',
        ),
        maxToolCalls: key(
          z.int().min(1).max(10_000).optional(),
          'The most tool calls of one execution. The default is 1,000.',
          50,
        ),
        maxModelCalls: key(
          z.int().min(1).max(10_000).optional(),
          'The most model calls of one execution with the runtime chat. The default is 50.',
          20,
        ),
        concurrency: key(
          z.int().min(1).max(1000).optional(),
          'How many executions may run at the same time in one environment. Further ones are queued.',
          5,
        ),
        maxCost: key(
          z.looseObject({ amount: key(Amount, 'The amount, in quotes.', '2.50'), currency }).optional(),
          'The most that the model calls of one execution may cost. Each model needs prices in this currency.',
          { amount: '2.50', currency: 'USD' },
        ),
      })
      .default({}),
    'The limits of one execution.',
    { timeout: 'PT15M', maxToolCalls: 50 },
  ),
  governance: key(
    z
      .looseObject({
        approvals: key(
          Approvals.default({}),
          'Who approves calls: those of requireApproval, and those of policies whose rules name no terms of their own.',
          { group: 'refund-approvers' },
        ),
      })
      .default({ approvals: {} }),
    'Who decides about the agent’s calls.',
    { approvals: { group: 'refund-approvers' } },
  ),
  approvalCard: key(ApprovalCard.optional(), 'The facts that reviewers see first.', {
    title: 'Order ${input.orderId}',
  }),
  environments: key(
    z.array(EnvironmentName).optional(),
    'The only environments in which the agent may be released. Without it, all of them.',
    ['staging', 'production'],
  ),
})
export type AgentSpec = z.infer<typeof AgentSpec>

/**
 * A whole manifest, for its reference and for the names of its members. Registration accepts any mapping with a name: what it
 * does not know is stored and named in a warning.
 */
export const ManifestDocument = z.looseObject({
  apiVersion: key(z.string().optional(), 'The version of the format.', 'governance/v1'),
  kind: key(z.string().optional(), 'The kind of the document.', 'Agent'),
  metadata: key(
    z.looseObject({
      name: key(
        z.string().min(1).max(100),
        'The name of the agent, unique in the tenant. Elsewhere accepted as name, agent.name or id at the top.',
        'refund-assistant',
      ),
      version: key(
        z.string().min(1).max(100).optional(),
        'The version. A version can’t be registered twice with different content. The default is the next number.',
        '1.4.0',
      ),
      displayName: key(z.string().optional(), 'The name on pages. The default is the name.', 'Refund assistant'),
      labels: key(JsonObject.optional(), 'Labels of your own. They are stored and compared.', { team: 'support' }),
      annotations: key(JsonObject.optional(), 'Notes of your own. They are stored and compared.', {
        source: 'https://git.example/refund-assistant',
      }),
    }),
    'What identifies the agent.',
    { name: 'refund-assistant', version: '1.4.0' },
  ),
  spec: key(AgentSpec, 'What the agent does, and what it may do.', { runtime: { observe: {} } }),
})
