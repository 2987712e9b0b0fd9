import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate for localhost that signs itself, and its key, in PEM. */
export async function testCertificate(): Promise<{ cert: string; key: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'))
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
  const command = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext ${names}`
  execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'ignore' })
  const [cert, key] = await Promise.all(['cert.pem', 'key.pem'].map((name) => readFile(join(folder, name), 'utf8')))
  await rm(folder, { recursive: true })
  return { cert: cert ?? '', key: key ?? '' }
}
