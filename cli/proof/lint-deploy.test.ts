import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The files of docs/deploy, read by the programs that read them, or by linters for them. The suite `deploy` of `npm run proof` installs what
// registries offer; it names what is missing.

const deploy = join(import.meta.dirname, '../../docs/deploy')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-deploy-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What a program prints; undefined if this machine does not have it. */
function run(program: string, ...words: string[]): { status: number | null; text: string } | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', cwd: folder })
  return error === undefined ? { status, text: `${stdout}${stderr}` } : undefined
}

test('hadolint finds nothing in the Dockerfile', ({ skip }) => {
  const linted = run('hadolint', '--no-color', join(deploy, 'Dockerfile'))
  if (linted === undefined) return skip('hadolint is missing')
  expect(linted).toEqual({ status: 0, text: '' })
})

test('compose-lint finds no risk in the compose files but limits, which depend on the machine, and images without a digest', ({
  skip,
}) => {
  const [first, second] = ['compose.yaml', 'compose.keycloak.yaml'].map(
    (name) => load(readFileSync(join(deploy, name), 'utf8')) as { services: Record<string, object> },
  )
  // The second file adds to the services of the first one, which the linter does not know.
  const services = Object.fromEntries(
    Object.entries(second?.services ?? {}).map(([name, service]) => [name, { ...first?.services[name], ...service }]),
  )
  const both = join(folder, 'compose.yaml')
  writeFileSync(both, JSON.stringify({ ...first, services: { ...first?.services, ...services } }))
  const linted = run('compose-lint', '--format', 'json', '--fail-on', 'low', both)
  if (linted === undefined) return skip('compose-lint is missing')
  const rules = [...linted.text.matchAll(/"(?:rule_id|rule|id)":\s*"(CL-\d+)"/g)].map(([, rule]) => rule)
  expect(rules.length).toBeGreaterThan(0)
  // Keycloak and PostgreSQL write to their own file systems, and PostgreSQL's image starts as root to take over its folder.
  expect([...new Set(rules)].sort()).toEqual(['CL-0006', 'CL-0007', 'CL-0019', 'CL-0026'])
})

test('Caddy accepts its configuration, and would not format it otherwise', ({ skip }) => {
  const file = join(deploy, 'Caddyfile')
  const validated = run('caddy', 'validate', '--adapter', 'caddyfile', '--config', file)
  if (validated === undefined) return skip('caddy is missing')
  expect(validated).toMatchObject({ status: 0, text: expect.stringContaining('Valid configuration') })
  expect(run('caddy', 'fmt', file)?.text).toBe(readFileSync(file, 'utf8'))
})

/** nginx.conf in an http block, with a certificate of its own. */
function nginxFile(): string {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-subj', '/CN=x')
  const site = readFileSync(join(deploy, 'nginx.conf'), 'utf8')
    .replace('/etc/ssl/countersign.pem', certificate)
    .replace('/etc/ssl/private/countersign.key', key)
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `worker_processes auto;\npid ${folder}/pid;\nevents {}\nhttp {\n${site}\n}\n`)
  return file
}

test('nginx accepts its configuration', ({ skip }) => {
  const checked = run('nginx', '-t', '-p', folder, '-c', nginxFile())
  if (checked === undefined) return skip('nginx is missing')
  expect(checked).toMatchObject({ status: 0, text: expect.stringContaining('test is successful') })
})

test('gixy finds no weakness in nginx.conf but the buffering that streams can’t have', ({ skip }) => {
  const checked = run('gixy', '--format', 'json', nginxFile())
  if (checked === undefined) return skip('gixy is missing')
  const found = [...checked.text.matchAll(/"plugin":\s*"(\w+)"/g)].map(([, plugin]) => plugin)
  expect(found).toEqual(['proxy_buffering_off'])
})

test('promtool accepts the rules for alerts', ({ skip }) => {
  const checked = run(
    'promtool',
    'check',
    'rules',
    '--lint=all',
    '--lint-fatal',
    join(deploy, 'prometheus-alerts.yaml'),
  )
  if (checked === undefined) return skip('promtool is missing')
  expect(checked).toMatchObject({ status: 0, text: expect.stringContaining('SUCCESS') })
})
