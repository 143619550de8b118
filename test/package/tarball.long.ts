import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consumers } from '../../.ci/consumers.ts'
import { dockerfile, said, variablesOf } from '../../.ci/dockerfile.ts'
import { top } from '../arch/sources.ts'
import { linksOf, proseOf } from '../docs/markdown.ts'
import { Terminal } from '../docs/terminal.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { newFolder } from '../support/new-folder.ts'
import { compile, examplesIn } from './programs.ts'

const run = promisify(execFile)
const { dependencies, files } = JSON.parse(await readFile(join(top, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
  readonly files: readonly string[]
}

let stage: Stage<undefined>
const folder = newFolder(afterAll)
/** A user's new folder, with the unpacked tarball and the dependencies of this project. */
let user: string

beforeAll(async () => {
  stage = await startLiveStage()
  user = join(folder, 'user')
  const tarball = await packed(join(folder, 'copy'))
  const installed = join(user, 'node_modules', 'bft-scan-proxy')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  for (const name of [...Object.keys(dependencies), '@types/node']) await link(name, user)
  await writeFile(join(user, 'package.json'), '{ "private": true, "type": "module" }\n')
  for (const [name, text] of Object.entries(consumers))
    await writeFile(join(user, name), text.replaceAll('@bft-scan/client', 'bft-scan-proxy/client'))
  await mkdir(join(user, 'node_modules', '.bin'))
  await symlink(
    join('..', 'bft-scan-proxy', 'src', 'bin.js'),
    join(user, 'node_modules', '.bin', 'bft-scan-proxy'),
  )
}, 120_000)
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
})

/** Packs a copy of the project, because packing the project itself would write `dist/` and disturb other tests. */
async function packed(copy: string): Promise<string> {
  await mkdir(copy)
  const wanted = ['package.json', 'tsconfig.json', 'LICENSE', 'src', ...files]
  for (const path of new Set(wanted)) {
    if (path === 'dist' || path === 'sbom.cdx.json' || path.startsWith('!')) continue
    await cp(join(top, path), join(copy, path), { recursive: true })
  }
  await symlink(join(top, 'node_modules'), join(copy, 'node_modules'))
  await writeFile(join(copy, 'tsconfig.json'), await withoutChecks(join(top, 'tsconfig.json')))
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
  return join(folder, tarball)
}

/** A build without type checks writes the same files many times faster. `npm run check` checks the types. */
async function withoutChecks(config: string): Promise<string> {
  const { compilerOptions, ...rest } = JSON.parse(await readFile(config, 'utf8'))
  return JSON.stringify({
    ...rest,
    compilerOptions: { ...compilerOptions, noCheck: true, singleThreaded: true },
  })
}

async function link(name: string, into: string): Promise<void> {
  const path = join(into, 'node_modules', name)
  await mkdir(dirname(path), { recursive: true })
  await symlink(join(top, 'node_modules', name), path)
}

async function program(...args: readonly string[]) {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const { stdout } = await run(process.execPath, args, { cwd: user, env })
  return JSON.parse(stdout)
}

describe('the tarball in a new folder', () => {
  test('brings the library, which answers without a server', async () => {
    const seeds = stage.localnet.superValidators.map(({ url }) => url)
    const { user: owner, expires_at: expires } = stage.localnet.truth.entryByName('dso.cns') ?? {}
    expect(await program('library.ts', ...seeds)).toEqual({
      user: owner,
      expires,
      threshold: 3,
      code: 'limitTooSmall',
    })
  })

  test('brings the client of a daemon as an import, too', async () => {
    expect(await program('client-main.ts', stage.daemon.http)).toEqual({
      dso: stage.localnet.world.dsoParty,
      voters: 4,
      page: 'string',
      owner: stage.localnet.world.dsoParty,
      names: ['dso.cns'],
    })
  })

  test.each([
    ['tsconfig.json', 'of both for Node'],
    ['tsconfig.browser.json', 'of the client for a browser, without those of Node'],
  ])(
    'brings types: %s, %s',
    async (config) => {
      expect(await compile(user, config)).toBe('')
    },
    60_000,
  )

  test('brings no types of Node into a program for a browser, which may have them installed', async () => {
    const files = (await compile(user, 'tsconfig.browser.json', '--listFilesOnly')).split('\n')
    expect(files.filter((file) => file.endsWith('/client/client.d.ts'))).toHaveLength(1)
    expect(
      files.filter((file) => /\/(?:@types\/node|pino|undici-types)\/|\/bft-scan\.d\.ts$/.test(file)),
    ).toEqual([])
  }, 60_000)

  test('compiles the examples of its pages in strict TypeScript', async () => {
    const page = await readFile(join(user, 'node_modules', 'bft-scan-proxy', 'docs/library.md'), 'utf8')
    const examples = examplesIn(page.replaceAll('@bft-scan/client', 'bft-scan-proxy/client'))
    expect(examples.length).toBeGreaterThan(3)
    const names = examples.map((_, index) => `example-${index}.ts`)
    for (const [index, name] of names.entries()) await writeFile(join(user, name), examples[index] ?? '')
    const config = { extends: './tsconfig.json', files: names }
    await writeFile(join(user, 'tsconfig.examples.json'), JSON.stringify(config))
    expect(await compile(user, 'tsconfig.examples.json')).toBe('')
  }, 60_000)

  test('names no source map, because it brings none', async () => {
    const dist = join(user, 'node_modules', 'bft-scan-proxy', 'dist')
    const modules = globSync('**/*.js', { cwd: dist })
    expect(modules.length).toBeGreaterThan(100)
    const naming = []
    for (const path of modules)
      if (/^\/\/# sourceMappingURL=/m.test(await readFile(join(dist, path), 'utf8'))) naming.push(path)
    expect(naming).toEqual([])
  })

  test('brings what runs and watches the daemon: a service of systemd, resources of Kubernetes, alerts and dashboards', async () => {
    const paths = await shippedPaths()
    expect(paths).toEqual(
      expect.arrayContaining([
        'package/dashboards/alerts.yaml',
        'package/dashboards/overview.json',
        'package/deploy/kubernetes/splice/post-render',
        'package/deploy/systemd/bft-scan-proxy.service',
      ]),
    )
    const watching = paths.filter((path) => path.startsWith('package/dashboards/'))
    expect(watching.filter((path) => /\.ts$|\.test\./.test(path))).toEqual([])
  })

  test('brings nothing of the tests, of the sources or of the ways to make it', async () => {
    const paths = await shippedPaths()
    const assets = globSync('**/*.*', { cwd: join(top, 'src/server/ui/assets') }).sort()
    expect(paths).toEqual(expect.arrayContaining(['package/dist/bft-scan.d.ts', 'package/dist/main.js']))
    expect(
      paths.filter((path) => !/^package\/(dist|config|docs|dashboards|deploy)\//.test(path)).sort(),
    ).toEqual([
      'package/CHANGELOG.md',
      'package/CONTRIBUTING.md',
      'package/LICENSE',
      'package/README.md',
      'package/SECURITY.md',
      'package/compose.yaml',
      'package/package.json',
      'package/src/bin.js',
      ...assets.map((asset) => `package/src/server/ui/assets/${asset}`),
    ])
    expect(assets).toContain('page.js')
  })

  test('brings all that its Dockerfile and its compose file take from the folder of the package', async () => {
    const paths = await shippedPaths()
    const isShipped = (path: string) =>
      paths.some((each) => each === `package/${path}` || each.startsWith(`package/${path}/`))
    const copied = dockerfile('deploy/image/Dockerfile')
      .flatMap((stage) => said(stage, 'COPY'))
      .filter((rest) => !rest.includes('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1))
    expect(copied).toEqual(expect.arrayContaining(['package.json', 'config', 'dist', 'src/server/ui/assets']))
    const compose = await readFile(join(user, 'node_modules/bft-scan-proxy/compose.yaml'), 'utf8')
    const mounted = [...compose.matchAll(/- \.\/([^:]+):/g)].map(([, path = '']) => path)
    expect(mounted).toContain('deploy/prometheus/prometheus.yaml')
    const page = await readFile(join(user, 'node_modules/bft-scan-proxy/docs/deploying.md'), 'utf8')
    const named = [...page.matchAll(/(?:DOCKERFILE=|-f )([\w/]+)/g)].map(([, path = '']) => path)
    expect(named).toContain('deploy/image/Dockerfile')
    expect([...copied, ...mounted, ...named].filter((path) => !isShipped(path))).toEqual([])
  })

  test("starts with the command of its Dockerfile's image, in the folder of the package", async () => {
    const installed = join(user, 'node_modules/bft-scan-proxy')
    const [image] = dockerfile('deploy/image/Dockerfile').slice(-1)
    const [, ...command]: string[] = JSON.parse((image && said(image, 'ENTRYPOINT')[0]) ?? '[]')
    const { stdout } = await run(process.execPath, [...command, 'check-config', '--json'], {
      cwd: installed,
      env: { ...process.env, ...(image && variablesOf(image)), NETWORK: 'mainnet' },
    })
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, network: { name: 'mainnet' } })
  })

  test('brings every file that its pages link to, and no picture that no page shows', async () => {
    const paths = await shippedPaths()
    const links = paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => pathsLinkedFrom(path.replace('package/', '')).map((to) => ({ path, to })))
    const isShipped = (to: string) => paths.some((path) => path === to || path.startsWith(`${to}/`))
    expect(links.map(({ to }) => to)).toEqual(
      expect.arrayContaining(['package/SECURITY.md', 'package/docs/screenshots/vote.webp']),
    )
    expect(links.filter(({ to }) => !isShipped(to))).toEqual([])
    const shown = new Set(links.map(({ to }) => to).filter((to) => to.endsWith('.webp')))
    expect(paths.filter((path) => path.endsWith('.webp')).toSorted()).toEqual([...shown].toSorted())
  })

  test('is smaller than 2 MB', async () => {
    const { size } = await stat(await only(folder, '.tgz'))
    expect(size).toBeLessThan(2_000_000)
  })

  test('starts a daemon with a localnet as the README says for a tarball', async () => {
    const readme = await readFile(join(user, 'node_modules/bft-scan-proxy/README.md'), 'utf8')
    const [, start = ''] = /^npm install \S+\.tgz\n(.*npx bft-scan-proxy)$/m.exec(readme) ?? []
    const [http, operations, control] = await Promise.all([freePort(), freePort(), freePort()])
    const { PATH = '', HOME = '' } = process.env
    const env = {
      PATH,
      HOME,
      HTTP_PORT: `${http}`,
      OPERATIONS_PORT: `${operations}`,
      LOCALNET_CONTROL_PORT: `${control}`,
    }
    await using terminal = new Terminal({ folder: user, env })
    const printed = await terminal.begin(start, (output) => output.includes('"msg":"listening"'))
    expect(printed).toContain(`"control":"http://127.0.0.1:${control}"`)
    const name = `http://127.0.0.1:${http}/v0/scan-proxy/ans-entries/by-name/dso.cns`
    expect(await (await fetch(name)).json()).toMatchObject({ entry: { name: 'dso.cns' } })
  }, 60_000)
})

async function shippedPaths(): Promise<readonly string[]> {
  const { stdout } = await run('tar', ['-tzf', await only(folder, '.tgz')])
  return stdout.trim().split('\n')
}

function pathsLinkedFrom(page: string): readonly string[] {
  return linksOf(proseOf(page))
    .map((link) => link.split('#')[0] ?? '')
    .filter((path) => path !== '')
    .map((path) => posix.join('package', posix.dirname(page), path).replace(/\/$/, ''))
}

async function only(where: string, ending: string): Promise<string> {
  return join(where, (await readdir(where)).find((name) => name.endsWith(ending)) ?? '')
}
