import { Argument, type Command } from 'commander';

const shells = ['bash', 'zsh', 'fish'] as const;

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print what completes the commands in a shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      '\nExamples:\n  source <(webkiln completion bash)\n  webkiln completion fish > ~/.config/fish/completions/webkiln.fish',
    )
    .action((shell: (typeof shells)[number]) => console.log(shell === 'fish' ? fish(program) : bash(program, shell)));
}

const namesOf = ({ commands }: Command) => commands.map((command) => command.name());
const optionsOf = ({ options }: Command) => options.map(({ long }) => long ?? '');

/** zsh runs what bash runs, once it has loaded its compatible mode. */
function bash(program: Command, shell: 'bash' | 'zsh'): string {
  const cases = program.commands.map(
    (command) => `    ${command.name()}) words="${[...optionsOf(command), ...optionsOf(program)].join(' ')}" ;;`,
  );
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_webkiln() {
  local words="${namesOf(program).join(' ')}"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _webkiln webkiln`;
}

function fish(program: Command): string {
  const own = program.commands.flatMap((command) => [
    `complete -c webkiln -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
    ...command.options.map(
      ({ long, description }) =>
        `complete -c webkiln -n '__fish_seen_subcommand_from ${command.name()}' -l ${long?.slice(2)} -d ${quoted(description)}`,
    ),
  ]);
  return own.join('\n');
}

const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
