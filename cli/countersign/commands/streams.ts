import { isJsonObject } from '#lib/json.ts'
import { operationNamed } from '../catalog.ts'
import { usageError } from '../failure.ts'
import { commonFlags, flagsOf, inputFrom, optionsOf, parse } from '../flags.ts'
import { print, printEvent } from '../output.ts'
import { ask } from '../request.ts'
import { openSession } from '../session.ts'
import { follow } from '../stream.ts'
import { callFlags, callOperation } from './call.ts'
import { type Command, type Context, commonUsage } from './command.ts'

export const tracesFollow: Command = {
  name: 'traces follow',
  summary: 'Follow a trace or an execution until it is over',
  usage: `countersign traces follow --trace-id <id> | --execution-id <id>\n${commonUsage}`,
  flags: callFlags,
  operation: 'traces.stream',
  async run(context) {
    // The server has this rule, which the schema of the operation can't express.
    const given = ['--trace-id', '--execution-id'].filter((flag) =>
      context.args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)),
    )
    if (given.length !== 1 && !context.args.some((arg) => /^--json\b/.test(arg)))
      throw usageError('Give either --trace-id or --execution-id.')
    return await callOperation(operationNamed('traces.stream'), context)
  },
}

export const approvalsWatch: Command = {
  name: 'approvals watch',
  summary: 'Follow one request until it is decided, or all changes of requests',
  usage: `countersign approvals watch [--approval-id <id>]\n${commonUsage}`,
  flags: callFlags,
  operation: 'approvals.watch',
  async run(context) {
    const one = context.args.some((arg) => /^--(approval-id|json|help)\b/.test(arg))
    if (one) return await callOperation(operationNamed('approvals.watch'), context)
    return await callOperation(operationNamed('changes.stream'), {
      ...context,
      args: [...context.args, '--topics', 'approvals'],
    })
  },
}

const startFlags = { json: { type: 'string' }, follow: { type: 'boolean' } } as const

export const executionsStart: Command = {
  name: 'executions start',
  summary: 'Start an execution, and with --follow show its spans until it ends',
  usage: `countersign executions start --agent-id <uuid> --environment <name> --input <json> [--follow]\n${commonUsage}`,
  flags: startFlags,
  operation: 'executions.execute',
  run: start,
}

async function start({ args, environment, output }: Context): Promise<number | undefined> {
  const operation = operationNamed('executions.execute')
  const flags = flagsOf(operation)
  const { values, positionals } = parse(args, { ...commonFlags, ...startFlags, ...optionsOf(flags) })
  if (positionals.length > 0) throw usageError(`Unexpected argument: ${positionals.join(' ')}.`)
  const input = inputFrom(flags, operation.input, values)
  const session = openSession(values, environment)
  const started = await ask(session, operation, input)
  if (values.follow !== true || !isJsonObject(started)) {
    print(output, started)
    return undefined
  }
  const executionId = started.executionId ?? null
  output.error(`Execution ${executionId}\n`)
  for await (const event of follow(session, operationNamed('traces.stream'), { executionId })) printEvent(output, event)
  const ended = await ask(session, operationNamed('executions.get'), { id: executionId })
  print(output, ended)
  return isJsonObject(ended) && ended.status === 'succeeded' ? undefined : 1
}
