import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ask } from '../localnet/ask.ts'
import { selfSigned } from '../support/certificate.ts'
import { ConnectProxy } from '../support/connect-proxy.ts'
import { HostileServer, response, saying } from '../support/hostile-server.ts'
import { newFolder } from '../support/new-folder.ts'
import { DaemonProcess } from '../support/process.ts'

const path = '/v0/scan-proxy/dso-party-id'
const said = '{"dso_party_id":"DSO::1220ab"}'

/** Starts a scan behind a company's forward proxy. The company's own authority has signed the scan's certificate. */
async function behindProxy() {
  const certificate = selfSigned({ names: ['scan.example.org'] })
  const authorities = join(newFolder(onTestFinished), 'authorities.pem')
  await writeFile(authorities, certificate.cert)
  const scan = await HostileServer.listen(saying(response(said)), certificate)
  const proxy = await ConnectProxy.listen()
  onTestFinished(async () => {
    await scan[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })
  const authority = `scan.example.org:${scan.port}`
  const scanClient = { discover: false, minimumVoters: 1, threshold: 1 }
  const env = {
    NETWORK: 'remote',
    SCAN_SEED_URLS: `https://${authority}`,
    NODE_CONFIG: JSON.stringify({ scanClient }),
  }
  return { scan, proxy, authority, authorities, env }
}

test('HTTPS_PROXY with credentials and NODE_EXTRA_CA_CERTS are all that a daemon inside a company needs', async () => {
  const { proxy, authority, authorities, env } = await behindProxy()
  await using daemon = await DaemonProcess.start({
    ...env,
    HTTPS_PROXY: proxy.url('daemon:well-kept@'),
    NODE_EXTRA_CA_CERTS: authorities,
  })
  const { http } = await daemon.listening()
  expect(await ask(http, path)).toMatchObject({ status: 200, text: said })
  const authorization = `Basic ${Buffer.from('daemon:well-kept').toString('base64')}`
  expect(proxy.asked.length).toBeGreaterThan(0)
  for (const asked of proxy.asked) expect(asked).toEqual({ authority, authorization })
  expect(JSON.stringify(daemon.lines)).not.toContain('well-kept')
})

test('the lower-case variables work as well, and a scan is not trusted without its authority', async () => {
  const { scan, proxy, env } = await behindProxy()
  await using daemon = await DaemonProcess.start({ ...env, https_proxy: proxy.url() })
  const { http } = await daemon.listening()
  expect(await ask(http, path)).toMatchObject({ status: 502 })
  expect(proxy.asked.length).toBeGreaterThan(0)
  expect(scan.requests).toEqual([])
})

test('a localnet is asked directly, whatever the environment says of proxies', async () => {
  const { proxy } = await behindProxy()
  await using daemon = await DaemonProcess.start({ HTTP_PROXY: proxy.url(), HTTPS_PROXY: proxy.url() })
  const { http } = await daemon.listening()
  expect(await ask(http, path)).toMatchObject({ status: 200 })
  expect(proxy.asked).toEqual([])
})
