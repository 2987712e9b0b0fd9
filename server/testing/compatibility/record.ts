// Records what each SDK of `sdks/` sends, for server/telemetry/recorded-sdks.test.ts. After `npm ci` in `sdks/`:
//   node server/testing/compatibility/record.ts
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { RecordedSdk } from './recorded.ts'
import { recordedFolder } from './recorded.ts'
import { runAgent, startChatModel } from './run-agent.ts'
import { sdkAgents } from './sdk-agents.ts'

const { dependencies } = JSON.parse(await readFile(new URL('sdks/package.json', import.meta.url), 'utf8'))
let requests: RecordedSdk['requests'] = []
const receiver = createServer(async (req, res) => {
  const body = await buffer(req)
  requests.push({
    path: req.url ?? '',
    contentType: req.headers['content-type'] ?? '',
    contentEncoding: req.headers['content-encoding'] ?? null,
    body: body.toString('base64'),
  })
  res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo
const model = await startChatModel()
await mkdir(recordedFolder, { recursive: true })
for (const agent of sdkAgents) {
  requests = []
  const traceId = await runAgent(agent, { url: `http://127.0.0.1:${port}`, token: 'recorded', modelUrl: model.url })
  const recorded: RecordedSdk = {
    origin: `The requests of sdks/${agent.command.join(' ')}, recorded by server/testing/compatibility/record.ts.`,
    packages: dependencies,
    traceId,
    requests: requests.filter(({ path }) => path === '/v1/traces'),
  }
  await writeFile(new URL(`${agent.name}.json`, recordedFolder), `${JSON.stringify(recorded, null, 2)}\n`)
}
await model.close()
receiver.close()
