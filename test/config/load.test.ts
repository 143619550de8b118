import { execFile } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../../src/base/config/resolve.ts'
import { configFolder, packageDir } from './folder.ts'

let folder: ReturnType<typeof configFolder>

beforeEach(() => {
  folder = configFolder()
})

const write = (path: string, text: string) => folder.write(path, text)
const load = (env?: Readonly<Record<string, string | undefined>>) => folder.load(env)

function loaded(env?: Readonly<Record<string, string | undefined>>): Config {
  const result = load(env)
  if (!result.ok) throw new Error(result.problems.join('\n'))
  return result.config
}

function problems(env?: Readonly<Record<string, string | undefined>>): readonly string[] {
  const result = load(env)
  return result.ok ? [] : result.problems
}

describe('with nothing but the package', () => {
  test('the defaults are a localnet, without a problem or a warning', () => {
    expect(load()).toMatchObject({
      ok: true,
      warnings: [],
      config: { network: 'localnet' },
      files: [join(packageDir, 'config/default.yaml')],
    })
  })

  test.each([
    ['mainnet', ''],
    ['testnet', 'test.'],
    ['devnet', 'dev.'],
  ])('%s is a remote network of 13 scans that 9 operators run', (network, infix) => {
    const result = load({ NODE_CONFIG_ENV: network })
    expect(result).toMatchObject({ ok: true, warnings: [], config: { network: 'remote' } })
    const { seedUrls, operators } = loaded({ NODE_CONFIG_ENV: network }).scanClient
    expect(seedUrls).toHaveLength(13)
    for (const url of seedUrls)
      expect(url).toMatch(new RegExp(`^https://scan\\.sv(-[12])?\\.${infix}global\\.canton\\.network\\.`))
    const suffixes = Object.values(operators).flat()
    const alone = seedUrls.filter((url) => !suffixes.some((suffix) => url.endsWith(suffix)))
    expect(alone.length + Object.keys(operators).length).toBe(9)
  })

  test('in production the network has to be chosen, which a network file does', () => {
    expect(problems({ NODE_ENV: 'production' })).toEqual([
      'network must be set where NODE_ENV or NODE_CONFIG_ENV is production: mainnet, testnet, devnet, remote or localnet',
    ])
    expect(problems({ NODE_CONFIG_ENV: 'production' })).toEqual(problems({ NODE_ENV: 'production' }))
    expect(problems({ NODE_ENV: 'production', NETWORK: 'localnet' })).toEqual([])
    expect(loaded({ NODE_ENV: 'production', NODE_CONFIG_ENV: 'mainnet' })).toMatchObject({
      network: 'remote',
      http: { shutdownDelayMs: 3_000, host: '127.0.0.1' },
    })
  })

  test.each(['prod', 'prodution', 'Production', 'produciton'])(
    'NODE_ENV=%s is a problem, because it would let a localnet run in production',
    (name) => {
      const places = `${join(packageDir, 'config')} or config`
      expect(problems({ NODE_ENV: name })).toEqual([
        `NODE_ENV: no ${name}.yaml in ${places}; did you mean production?`,
      ])
    },
  )

  test('an environment of other programs is a warning', () => {
    const found = load({ NODE_ENV: 'acceptance' })
    expect(found.ok).toBe(true)
    expect(found.warnings).toEqual([
      expect.stringMatching(
        /^NODE_ENV: no acceptance\.yaml in .*; there are devnet, mainnet, production, testnet$/,
      ),
    ])
    for (const name of ['production', 'development', 'test'])
      expect(load({ NODE_ENV: name, NETWORK: 'localnet' })).toMatchObject({ ok: true, warnings: [] })
  })

  test.each([
    ['prod', 'did you mean production?'],
    ['mainet', 'did you mean mainnet?'],
    ['main', 'did you mean mainnet?'],
    ['dev', 'did you mean devnet?'],
    ['elsewhere', 'there are devnet, mainnet, production, testnet'],
  ])('NODE_CONFIG_ENV=%s is answered by what is similar, or by all there is', (name, hint) => {
    expect(problems({ NODE_CONFIG_ENV: name })).toEqual([expect.stringContaining(`; ${hint}`)])
  })
})

describe("the user's own folder", () => {
  test('wins over all of the package, file by file', () => {
    write('config/default.yaml', 'logLevel: warn\nhttp: {port: 1}\nscanClient: {deadline: 20s}')
    write('config/mainnet.yaml', 'http: {port: 2}')
    write('config/this-host.json', '{"http": {"port": 3}}')
    write('config/local.yaml', 'http: {port: 4}')
    write('config/local-mainnet.yml', 'operations: {port: 5}')
    const result = load({ NODE_CONFIG_ENV: 'mainnet' })
    expect(result).toMatchObject({
      ok: true,
      config: { network: 'remote', logLevel: 'warn', http: { port: 4 }, operations: { port: 5 } },
    })
    expect(result.files.slice(2)).toEqual(
      ['default.yaml', 'mainnet.yaml', 'this-host.json', 'local.yaml', 'local-mainnet.yml'].map((file) =>
        join(folder.cwd, 'config', file),
      ),
    )
  })

  test.each([
    ['locl.yaml', 'local.yaml'],
    ['loacl.yml', 'local.yml'],
    ['config.yaml', 'local.yaml'],
    ['bft-scan-proxy.json', 'local.json'],
    ['defualt.json', 'default.json'],
    ['mainent.yaml', 'mainnet.yaml'],
    ['local-mainent.yaml', 'local-mainnet.yaml'],
  ])('causes a sentence where its file %s is not read, because it may be meant to be %s', (file, meant) => {
    write(`config/${file}`, '{}')
    expect(load().warnings).toEqual([`config/${file} is not read; did you mean ${meant}?`])
  })

  test('may hold files of other environments and hosts without a warning', () => {
    for (const name of [
      'mainnet',
      'mainnet2',
      'mainnet-a',
      'production',
      'that-host',
      'ournet',
      'local-devnet',
    ])
      write(`config/${name}.yaml`, '{}')
    write('config/notes.txt', '')
    expect(load().warnings).toEqual([])
    write('config/locale.yaml', '{}')
    expect(load({ NODE_CONFIG_ENV: 'locale' }).warnings).toEqual([])
  })

  test('may hold a network of its own', () => {
    write('config/ournet.yaml', 'network: remote\nscanClient: {seedUrls: [https://scan.example]}')
    expect(loaded({ NODE_CONFIG_ENV: 'ournet' }).scanClient.seedUrls).toEqual(['https://scan.example'])
  })

  test('is read once where it is that of the package', async () => {
    await symlink(join(packageDir, 'config'), join(folder.cwd, 'config'))
    expect(load().files).toHaveLength(1)
  })

  test('is named by NODE_CONFIG_DIR, more than one with the separator of paths', () => {
    write('config/local.yaml', 'http: {port: 1}')
    write('one/local.yaml', 'http: {port: 2}')
    write('two/local.yaml', 'http: {host: 0.0.0.0}')
    expect(loaded({ NODE_CONFIG_DIR: `one:${join(folder.cwd, 'two')}` }).http).toMatchObject({
      port: 2,
      host: '0.0.0.0',
    })
  })

  test('adds operators to those of the network, and takes them away with null', () => {
    write('config/local.yaml', 'scanClient: {operators: {ours: [.example.org], mpch: null}}')
    expect(Object.keys(loaded({ NODE_CONFIG_ENV: 'mainnet' }).scanClient.operators).sort()).toEqual([
      'cumberland',
      'digitalasset',
      'ours',
    ])
  })

  test('keeps what came before where a section holds comments only', () => {
    write('config/local.yaml', 'scanClient:\n  # deadline: 1s\n  thresholds:\nhttp:\n')
    expect(loaded({ NODE_CONFIG_ENV: 'mainnet' }).scanClient.seedUrls).toHaveLength(13)
  })

  test('maps further environment variables', () => {
    write('config/custom-environment-variables.yaml', 'http: {shutdownDelay: OUR_DELAY}')
    expect(loaded({ OUR_DELAY: '2s', HTTP_PORT: '9' }).http).toMatchObject({
      shutdownDelayMs: 2_000,
      port: 9,
    })
    expect(problems({ OUR_DELAY: '2' })[0]).toMatch(/^http\.shutdownDelay must be .* \(in the environment\)$/)
  })

  test('has all problems of all its files reported at once, with their names', () => {
    write('config/default.yaml', 'http: {prot: 1}')
    write('config/development.yaml', 'a: [1')
    write('config/local.yaml', '- a list')
    write('config/this-host.yaml', 'http: {port: 1}\nhttp: {port: 2}')
    expect(problems({ NODE_CONFIG: '{"cache":{"maxBytes":-1}}', SCAN_THRESHOLD: 'all' })).toEqual([
      expect.stringMatching(/^config\/development\.yaml cannot be read: .* at line 1, column 6$/),
      'config/this-host.yaml cannot be read: Map keys must be unique at line 2, column 1',
      'config/local.yaml must hold keys and values',
      'http.prot: unknown key; did you mean http.port? (in config/default.yaml)',
      expect.stringMatching(/^scanClient\.threshold must be .*, not "all" \(in SCAN_THRESHOLD\)$/),
      expect.stringMatching(/^cache\.maxBytes must be .*, not -1 \(in NODE_CONFIG\)$/),
    ])
  })

  test('is not executed, and files of other kinds are not read', () => {
    write('config/local.js', 'throw new Error("ran")')
    write('config/local.toml', 'nonsense')
    expect(load().files).toHaveLength(1)
  })

  test('that is no folder is a problem', () => {
    write('config', 'a file')
    expect(problems()).toEqual(['config cannot be read: it is a file, not a folder'])
  })

  test('cannot reach the prototype of all objects', () => {
    write('config/local.yaml', '__proto__: {polluted: true}\nhttp: {__proto__: {polluted: true}}')
    loaded({ NODE_CONFIG: '{"__proto__": {"polluted": true}}' })
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('the environment', () => {
  test.each([
    ['HTTP_HOST', '0.0.0.0', 'http.host', '0.0.0.0'],
    ['HTTP_HOST', '[::]', 'http.host', '::'],
    ['HTTP_HOST', '*', 'http.host', '*'],
    ['OPERATIONS_HOST', '[::1]', 'operations.host', '::1'],
    ['OPERATIONS_HOST', '[fe80::1%25eth0]', 'operations.host', 'fe80::1%eth0'],
    ['OPERATIONS_HOST', 'fe80::1%eth0', 'operations.host', 'fe80::1%eth0'],
    ['HTTP_PORT', '0', 'http.port', 0],
    ['OPERATIONS_PORT', ' 9000 ', 'operations.port', 9000],
    [
      'SCAN_SEED_URLS',
      'http://127.0.0.1:1/, http://127.0.0.1:2/api/scan,',
      'scanClient.seedUrls',
      ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
    ],
    ['SCAN_SV_NAMES', 'A, B C', 'scanClient.svNames', ['A', 'B C']],
    ['SCAN_THRESHOLD', '2f+1', 'scanClient.threshold', '2f+1'],
    ['SCAN_THRESHOLD', '3', 'scanClient.threshold', 3],
    ['HTTPS_PROXY', 'http://a:b@p:1', 'scanClient.httpsProxy', 'http://a:b@p:1/'],
    ['https_proxy', 'http://p:1', 'scanClient.httpsProxy', 'http://p:1/'],
    ['http_proxy', 'http://p:1', 'scanClient.httpProxy', 'http://p:1/'],
    ['NO_PROXY', '.a.example, 10.0.0.0/8', 'scanClient.noProxy', ['.a.example', '10.0.0.0/8']],
    ['SCAN_ROSTER_FILE', '/var/lib/roster.json', 'scanClient.rosterFile', '/var/lib/roster.json'],
    ['SCAN_OPERATORS', '{"one":["a","b"]}', 'scanClient.operators', { one: ['a', 'b'] }],
    ['HTTP_SHUTDOWN_DELAY', '5s', 'http.shutdownDelayMs', 5_000],
    ['EVIDENCE_QUESTIONS', 'true', 'evidence.questions', true],
    ['CACHE_MAX_BYTES', '1MiB', 'cache.maxBytes', 1_048_576],
    ['REDIS_CACHE_SECRET', '0123', 'cache.redis.secret', '0123'],
    ['LOCALNET_SUPER_VALIDATORS', '13', 'localnet.superValidators', 13],
    ['LOCALNET_RELEASES', '0.8, 0.9', 'localnet.releases', ['0.8', '0.9']],
    ['AUTH_UNSAFE_SECRET', '1234', 'auth.unsafeSecret', '1234'],
  ])('%s=%s sets %3$s', (variable, text, key, value) => {
    // One of these variables sets seeds. On a localnet, a daemon with a ledger refuses seeds.
    const config = loaded({ LEDGER_DRIVER: 'none', [variable]: text })
    expect(
      key.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], config),
    ).toEqual(value)
  })

  test('is not set by what is empty', () => {
    expect(
      loaded({ HTTP_PORT: '', HTTP_HOST: ' ', SCAN_SEED_URLS: '', NODE_CONFIG: '', NODE_CONFIG_ENV: '' }),
    ).toEqual(loaded())
  })

  test.each([
    ['HTTP_PORT', 'http'],
    ['HTTP_PORT', '80a'],
    ['HTTP_PORT', 'Infinity'],
    ['LOCALNET_SUPER_VALIDATORS', '1.5'],
    ['SCAN_THRESHOLD', '-1'],
    ['LOG_LEVEL', 'loud'],
    ['SCAN_SEED_URLS', 'scan.example'],
  ])('%s=%s is a problem that names the variable', (variable, text) => {
    expect(problems({ [variable]: text })).toEqual([
      expect.stringMatching(new RegExp(`must be .* \\(in ${variable}\\)$`)),
    ])
  })
})

describe('NODE_CONFIG', () => {
  test('overrides every key, wherever else it is set', () => {
    write('config/local.yaml', 'http: {port: 1, host: 0.0.0.0}')
    const http = loaded({ HTTP_PORT: '2', NODE_CONFIG: '{"http":{"port":3}}' }).http
    expect(http).toMatchObject({ port: 3, host: '0.0.0.0' })
  })

  test.each(['{', '"text"', '[]', 'null', '5'])('%s is a problem', (text) => {
    expect(problems({ NODE_CONFIG: text })).toEqual([expect.stringMatching(/^NODE_CONFIG must /)])
  })
})

test('loading prints nothing and finds its parsers, wherever it runs and whatever node-config warns about', async () => {
  const script = `
    import { loadConfig } from ${JSON.stringify(new URL('../../src/base/config/load.ts', import.meta.url).href)}
    const [bad, good] = [loadConfig(), loadConfig({ env: {} })]
    process.stdout.write(JSON.stringify([bad.ok, good.ok, good.files.length]))`
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script],
    {
      cwd: folder.cwd,
      env: {
        NODE_ENV: 'production',
        NODE_CONFIG_STRICT_MODE: '1',
        NODE_CONFIG: '{',
        NODE_CONFIG_ENV: 'default',
      },
    },
  )
  expect({ stdout, stderr }).toEqual({ stdout: '[false,true,1]', stderr: '' })
})
