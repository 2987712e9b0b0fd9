import { isJsonObject } from '#lib/json.ts'
import { operationNamed } from '../catalog.ts'
import { commonFlags, parse } from '../flags.ts'
import { print } from '../output.ts'
import { ask } from '../request.ts'
import { openSession } from '../session.ts'
import { type Command, commonUsage } from './command.ts'

export const whoami: Command = {
  name: 'whoami',
  summary: 'Show the server, the credential and its permissions',
  usage: `countersign whoami\n${commonUsage}`,
  async run({ args, environment, output }) {
    const session = openSession(parse(args, commonFlags).values, environment)
    const me = await ask(session, operationNamed('session.me'), {})
    print(output, { server: session.url, credential: session.source, ...(isJsonObject(me) ? me : {}) })
    return undefined
  },
}
