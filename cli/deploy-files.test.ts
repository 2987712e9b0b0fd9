import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load, loadAll } from 'js-yaml'
import { expect, test } from 'vitest'
import { roleNames } from '#lib/permissions.ts'
import { loadConfig } from '#server/kernel/config.ts'

// The files of docs/deploy, as far as they can be checked without the programs that read them.

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, 'docs/deploy', name), 'utf8')
const settingsIn = (text: string) => [...text.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name)
const known = settingsIn(readFileSync(join(root, '.env.example'), 'utf8'))

type Service = { environment: Record<string, string>; build?: { context: string; dockerfile: string } } & Record<
  string,
  unknown
>
type Compose = { services: Record<string, Service>; volumes: object; configs: Record<string, { content: string }> }

test('the image runs as another user than root, starts node without a shell, and copies what exists', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const parsed = lines.map((line) => {
    const [, instruction, rest] = /^([A-Z]+) (\S.*)$/.exec(line) ?? []
    return { instruction, rest: rest ?? '' }
  })
  const allowed = 'FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK CMD'.split(' ')
  expect(parsed.filter(({ instruction }) => !allowed.includes(instruction ?? ''))).toEqual([])
  const final = parsed.slice(parsed.findLastIndex(({ instruction }) => instruction === 'FROM'))
  const last = (name: string) => final.findLast(({ instruction }) => instruction === name)?.rest
  expect(last('USER')).toBe('1000:1000')
  const command: string[] = JSON.parse(last('CMD') ?? '')
  expect(command[0]).toBe('node')
  expect(existsSync(join(root, command[1] ?? ''))).toBe(true)
  const copied = parsed
    .filter(({ instruction, rest }) => instruction === 'COPY' && !rest.startsWith('--from'))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1))
  expect(copied.length).toBeGreaterThan(3)
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
  // No secret and no data of the machine that builds may be in the image.
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  expect(ignored).toEqual(expect.arrayContaining(['.git', '.data', '.env', '.env.local', 'node_modules']))
})

test('a built tree starts without reading its sources, and one that is not built says so', async () => {
  const tree = await mkdtemp(join(tmpdir(), 'countersign-built-'))
  const start = () => spawnSync(process.execPath, [join(tree, 'cli/start-built.mjs')], { cwd: tree, encoding: 'utf8' })
  const files = ['start-built.mjs', 'arguments/read-arguments.mjs', 'pinned-node.mjs', 'server-memory.mjs']
  for (const file of [...files.map((one) => `cli/${one}`), 'lib/text/argument-error.mjs'])
    await cp(join(root, file), join(tree, file))
  expect(start()).toMatchObject({ status: 1, stderr: 'The server has not been built: npm run build.\n' })
  await mkdir(join(tree, 'dist'))
  await writeFile(join(tree, 'dist/server.mjs'), `process.stdout.write('started as ' + process.env.NODE_ENV)`)
  expect(start()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^started as /) })
  await rm(tree, { recursive: true })
})

test('the compose file gives the server valid settings, a read-only root and no capabilities', () => {
  const { services, volumes, configs } = load(read('compose.yaml')) as Compose
  const { countersign, postgres } = services
  expect(countersign).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  expect(existsSync(join(root, countersign?.build?.dockerfile ?? 'missing'))).toBe(true)
  const filled = Object.fromEntries(
    Object.entries(countersign?.environment ?? {}).map(([name, value]) => [
      name,
      String(value).replaceAll(/\$\{(\w+):(?:\?|-([^}]*))\}/g, (_all, variable, usual) =>
        variable === 'MASTER_KEY' ? Buffer.alloc(32).toString('base64') : (usual ?? 'x'),
      ),
    ]),
  )
  expect(Object.keys(filled).filter((name) => !known.includes(name))).toEqual([])
  expect(loadConfig(filled)).toMatchObject({ seedDemo: false, databaseUrl: expect.stringContaining('@postgres:5432/') })
  const used = [countersign, postgres]
    .flatMap((service) => service?.volumes as string[])
    .map((one) => one.split(':')[0])
  expect(used.sort()).toEqual(Object.keys(volumes).sort())
  const script = configs.role?.content.replaceAll('$$', '$') ?? ''
  execFileSync('sh', ['-n'], { input: script })
  expect(script).not.toMatch(/superuser|bypassrls/i)
})

test('the compose file with Keycloak imports the realm, and gives the server a valid address of it', () => {
  const { services, configs } = load(read('compose.keycloak.yaml')) as Compose
  const { keycloak, countersign } = services
  const [mounted = ''] = (keycloak?.volumes ?? []) as string[]
  expect(existsSync(join(root, mounted.split(':')[0] ?? 'missing'))).toBe(true)
  const realm = readFileSync(join(root, 'docs/deploy/keycloak-realm.json'), 'utf8')
  const named = [...new Set([...realm.matchAll(/\$\{(COUNTERSIGN_\w+)/g)].map(([, name]) => name ?? ''))]
  expect(Object.keys(keycloak?.environment ?? {})).toEqual(expect.arrayContaining(named))
  expect(Object.keys(countersign?.environment ?? {}).filter((name) => !known.includes(name))).toEqual([])
  const script = configs.keycloak?.content.replaceAll('$$', '$') ?? ''
  execFileSync('sh', ['-n'], { input: script })
  expect(script).not.toMatch(/superuser|createrole/i)
  const { roles, clients } = JSON.parse(realm) as { roles: { realm: { name: string }[] }; clients: object[] }
  // Roles with a colon are for machines of this service’s own provider.
  const ofPeople = roleNames.filter((name) => !name.includes(':'))
  expect(roles.realm.map(({ name }) => name).sort()).toEqual(ofPeople.sort())
  for (const client of clients) expect(JSON.stringify(client)).toContain('"included.custom.audience":"countersign"')
})

type Pod = { metadata: { name: string }; kind: string; spec: { template: { spec: PodSpec } } }
type PodSpec = { terminationGracePeriodSeconds: number; containers: Container[] }
type Container = { env: { name: string; value: string }[]; securityContext: object; livenessProbe: object }

test('the Helm chart renders web and worker pods with valid settings, where Helm is installed', ({ skip }) => {
  const chart = join(root, 'docs/deploy/helm')
  // A Helm that was built from its module assumes an old Kubernetes.
  const helm = (...words: string[]) => spawnSync('helm', [...words, '--kube-version', '1.31.0'], { encoding: 'utf8' })
  const shared = [
    'settings.EXPORT_STORE=s3://bucket/exports',
    'settings.SIGNER_MEMORY=s3://bucket/signer',
    'dataClaim=data',
  ]
  const set = shared.flatMap((one) => ['--set', one])
  const linted = helm('lint', '--strict', chart, ...set)
  if (linted.error !== undefined) return skip('helm is missing')
  expect([linted.status, linted.stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  const alone = helm('template', 'x', chart)
  expect([alone.status, alone.stderr]).toEqual([1, expect.stringContaining('With more than one pod')])
  const rendered = (loadAll(helm('template', 'x', chart, ...set).stdout) as Pod[]).filter((one) => one !== null)
  expect(rendered.map(({ kind }) => kind).sort()).toEqual(
    ['Deployment', 'Deployment', 'Ingress', 'PodDisruptionBudget', 'PodDisruptionBudget', 'Service'].sort(),
  )
  const pods = rendered.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec)
  const roles = pods.map(({ containers: [container], terminationGracePeriodSeconds: patience }) => {
    const settings = Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? [])
    expect(Object.keys(settings).filter((name) => !known.includes(name))).toEqual([])
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    expect(container?.livenessProbe).toMatchObject({ httpGet: { path: '/v1/health/live' } })
    const config = loadConfig(settings)
    expect(patience).toBeGreaterThan(config.drainSeconds + 10)
    return [...config.roles]
  })
  expect(roles.sort()).toEqual([['web'], ['worker']])
})

test('the systemd unit is valid where systemd can check it, and its settings are known', ({ skip }) => {
  const unit = read('countersign.service')
  const names = [...(/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').matchAll(/(\w+)=/g)].map(([, name]) => name)
  expect(names.filter((name) => name !== 'NODE_ENV' && !known.includes(name ?? ''))).toEqual([])
  expect(unit).toMatch(/^User=countersign$/m)
  // Otherwise tool servers and the embedded database get the signal too, while calls still use them.
  expect(unit).toMatch(/^KillMode=mixed$/m)
  const checked = spawnSync('systemd-analyze', ['verify', join(root, 'docs/deploy/countersign.service')], {
    encoding: 'utf8',
  })
  if (checked.error !== undefined) return skip('systemd-analyze is missing')
  expect(checked.stderr).toBe('')
  expect(checked.status).toBe(0)
})

test('the proxies pass upgrades and streams, and bodies up to the limit of files', () => {
  const [nginx, caddy] = [read('nginx.conf'), read('Caddyfile')]
  for (const text of [nginx, caddy]) expect((text.match(/{/g) ?? []).length).toBe((text.match(/}/g) ?? []).length)
  for (const line of [
    'proxy_set_header Upgrade $http_upgrade;',
    'proxy_set_header Connection $countersign_connection;',
    'proxy_buffering off;',
    'proxy_read_timeout 1h;',
    'client_max_body_size 101m;',
    'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  ])
    expect(nginx).toContain(line)
  expect(caddy).toMatch(/max_size 101MiB[\s\S]*flush_interval -1/)
})
