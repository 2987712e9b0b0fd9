import { operationNamed } from '../catalog.ts'
import { usageError } from '../failure.ts'
import { commonFlags, parse, readBytes } from '../flags.ts'
import { print } from '../output.ts'
import { ask } from '../request.ts'
import { openSession } from '../session.ts'
import { callFlags, callOperation } from './call.ts'
import { type Command, commonUsage } from './command.ts'

export const eventsSend: Command = {
  name: 'events send',
  summary: 'Send an input event',
  usage: `countersign events send --idempotency-key <key> --correlation '{"executionId": …, "input": …}' --data <json>\n${commonUsage}`,
  flags: callFlags,
  operation: 'inputEvents.submit',
  run: (context) => callOperation(operationNamed('inputEvents.submit'), context),
}

export const telemetrySend: Command = {
  name: 'telemetry send',
  summary: 'Send spans from a file: OTLP as JSON',
  usage: `countersign telemetry send <file>\n${commonUsage}`,
  async run({ args, environment, output }) {
    const { values, positionals } = parse(args, commonFlags)
    const [path] = positionals
    if (path === undefined || positionals.length > 1) throw usageError('Name one file.')
    const bytes = readBytes(path)
    // The response has the encoding of the request, and only JSON can be shown.
    const isJson = bytes.find((byte) => byte > 0x20) === 0x7b
    if (!isJson) throw usageError(`${path}: not OTLP as JSON, which begins with a brace.`)
    const document = { type: 'application/json', make: () => bytes }
    print(output, await ask(openSession(values, environment), operationNamed('telemetry.export'), {}, { document }))
    return undefined
  },
}
