"""The table of commands that take a secret as an argument.

Its position among the arguments is written in a few signs. ``-p`` and ``--psk`` are options that it
follows, or that ``=`` or ``:`` joins to it; ``-p*`` is one that it touches; ``/p:`` is how its word
begins; ``+password`` a word before it; ``#2`` the second that is not an option. Behind them ``:``,
``%``, ``,`` or ``/`` say that it begins after that sign, ``!`` that it must look random, and ``?``
that the argument before it must tell of it.
"""

from __future__ import annotations

import re

from recollect.text.redaction.rules import Rule


class CommandRule(Rule, frozen=True):
    """Commands that take the same arguments; ``looks_for`` is how they begin."""

    commands: tuple[str, ...]
    """In lower case, with their subcommands."""
    positions: tuple[str, ...]
    """The position of the secret."""


def _rule(commands: str, positions: str, example: str, counterexample: str) -> CommandRule:
    names = tuple(commands.split("|"))
    return CommandRule(
        name=names[0],
        looks_for="|".join(re.escape(name) for name in names),
        example=example,
        counterexample=counterexample,
        commands=names,
        positions=tuple(positions.split()),
    )


COMMANDS = (
    # Databases
    _rule(
        "mysql|mariadb|mysqldump|mysqladmin|mysqlimport|mysqlsh|mysqlcheck|mysqlshow|mysqlbinlog"
        "|mariadb-dump|mariadb-admin|mycli|mysqlslap|mydumper|xtrabackup|mysqlpump",
        "-p*",
        "mysql -u ann -p«sunset» db",
        "mysql -u ann -p db",
    ),
    _rule(
        "mongosh|mongo|mongodump|mongorestore|mongoexport|mongoimport|mongostat|mongotop|cqlsh"
        "|clickhouse-client|mosquitto_pub|mosquitto_sub|influx|arangosh|cypher-shell|rabbitmqadmin",
        "-p -P --pw",
        "mongosh -u ann -p «sunset» db",
        "mongosh -u ann db",
    ),
    _rule(
        "sqlcmd|bcp|isql|osql|tsql",
        "-P -P*",
        "sqlcmd -S host -U sa -P «sunset»",
        "sqlcmd -S host -E",
    ),
    _rule(
        "redis-cli|valkey-cli|keydb-cli|iredis|redis-benchmark",
        "-a",
        "redis-cli -h host -a «sunset»",
        "redis-cli -h host",
    ),
    _rule(
        "sqlplus|sqlldr|expdp|impdp",
        "#1/",
        "sqlplus ann/«sunset»@host/db",
        "sqlplus ann@host/db",
    ),
    _rule(
        "ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami|ldapcompare|ldapmodrdn|ldappasswd",
        "-w -s",
        "ldapsearch -D ann -w «sunset»",
        "ldapsearch -D ann -W",
    ),
    # The web and other machines
    _rule(
        "curl|wget|xh",
        "-u: -u:* -U: --user: --proxy-user: --pass",
        "curl -u ann:«sunset» host",
        "curl -u ann host",
    ),
    _rule("http|https", "-a: --auth:", "http -a ann:«sunset» GET host", "http -a ann GET host"),
    _rule("ab|siege", "-A: -P:", "ab -A ann:«sunset» host", "ab -A ann host"),
    _rule("lftp|ncftp", "-u, -p", "lftp -u ann,«sunset» host", "lftp -u ann host"),
    _rule(
        "smbclient|rpcclient|smbget|smbmap|winexe|wmic",
        "-U% --user%",
        "smbclient //host/s -U ann%«sunset»",
        "smbclient //host/s -U ann",
    ),
    _rule(
        "crackmapexec|nxc|netexec|evil-winrm|sendemail|swaks",
        "-p -xp -ap",
        "evil-winrm -i host -u ann -p «sunset»",
        "evil-winrm -i host -u ann",
    ),
    _rule(
        "xfreerdp|wfreerdp|xfreerdp3|rdesktop|sdl-freerdp",
        "/p: -p",
        "xfreerdp /v:host /u:ann /p:«sunset»",
        "xfreerdp /v:host /u:ann",
    ),
    _rule(
        "plink|pscp|psftp|winscp",
        "-pw",
        "plink -ssh ann@host -pw «sunset»",
        "plink -ssh ann@host",
    ),
    _rule("sshpass", "-p -p*", "sshpass -p «sunset» ssh host", "sshpass -e ssh host"),
    _rule(
        "ipmitool|racadm|fence_ipmilan",
        "-P -p",
        "ipmitool -H host -U ann -P «sunset» power status",
        "ipmitool -H host -U ann power status",
    ),
    _rule(
        "snmpwalk|snmpget|snmpset|snmpbulkwalk",
        "-A -X -c",
        "snmpwalk -v3 -u ann -A «sunset» host",
        "snmpwalk -v2c -c public host",
    ),
    # Accounts and networks
    _rule(
        "ssh-keygen",
        "-N -P",
        "ssh-keygen -t ed25519 -N «sunset» -f key",
        "ssh-keygen -t ed25519 -f key",
    ),
    _rule("net user", "#2", "net user ann «sunset» /add", "net user ann /add"),
    _rule(
        "runas|schtasks|psexec|psexec64|psexec.exe",
        "/rp /p -p",
        "schtasks /create /tn a /ru ann /rp «sunset»",
        "schtasks /query /tn a",
    ),
    _rule("cmdkey|cmdkey.exe", "/pass: /p:", "cmdkey /user:ann /pass:«sunset»", "cmdkey /user:ann"),
    _rule("useradd|usermod", "-p", "useradd -m -p «sunset42» ann", "useradd -m ann"),
    _rule("wpa_passphrase", "#2", "wpa_passphrase home «sunset»", "wpa_passphrase home"),
    _rule(
        "nmcli|wpa_cli|netsh|networksetup",
        "+password +psk +wifi-sec.psk +802-11-wireless-security.psk +vpn.secrets",
        "nmcli dev wifi connect home password «sunset»",
        "nmcli dev wifi connect home",
    ),
    _rule(
        "samba-tool user create|samba-tool user setpassword|samba-tool user add",
        "#2 --newpassword",
        "samba-tool user create ann «sunset»",
        "samba-tool user create ann",
    ),
    _rule(
        "x11vnc|vncserver",
        "-passwd -storepasswd",
        "x11vnc -display :0 -passwd «sunset»",
        "x11vnc -display :0",
    ),
    _rule(
        "rabbitmqctl add_user|rabbitmqctl change_password|rabbitmqctl authenticate_user",
        "#2",
        "rabbitmqctl add_user ann «sunset»",
        "rabbitmqctl add_user ann",
    ),
    # Archives, keys, disks
    _rule("7z|7za|7zr|7zz|rar|unrar", "-p* -hp*", "7z x -p«sunset» a.7z", "7z x -p a.7z"),
    _rule("zip|unzip|zipcloak", "-P", "zip -P «sunset» a.zip", "unzip -p archive.zip"),
    _rule(
        "qpdf|pdftk|pdftotext|pdfcpu|mutool",
        "--encrypt --encrypt#2 -upw -opw +user_pw +owner_pw +input_pw",
        "pdftotext -upw «sunset» a.pdf",
        "pdftotext -layout a.pdf",
    ),
    _rule(
        "openssl",
        "-k -passin -passout -pass -password -K!",
        "openssl enc -k «sunset» -in a",
        "openssl enc -in a -pass stdin",
    ),
    _rule("gpg|gpg2", "--passphrase", "gpg --passphrase «sunset» -c a", "gpg -d a"),
    _rule(
        "keytool|jarsigner|apksigner",
        "-storepass -keypass -srcstorepass -deststorepass -destkeypass -srckeypass -new --ks-pass "
        "--key-pass",
        "keytool -list -keystore a -storepass «sunset»",
        "keytool -list -keystore a",
    ),
    _rule("signtool|signtool.exe", "/p", "signtool sign /p «sunset» a", "signtool sign a"),
    _rule(
        "security|pk12util|certutil",
        "-p -P -w -W",
        "security unlock-keychain -p «sunset» login.keychain",
        "security list-keychains",
    ),
    _rule(
        "pkcs11-tool|softhsm2-util",
        "-p --pin --so-pin",
        "pkcs11-tool --login --pin «482137»",
        "pkcs11-tool --list-slots",
    ),
    _rule("veracrypt|truecrypt", "-p", "veracrypt -p «sunset» a /mnt", "veracrypt -d /mnt"),
    _rule(
        "ansible-vault encrypt_string|vault operator unseal",
        "#1",
        "vault operator unseal «sunset42»",
        "vault operator unseal",
    ),
    _rule("rclone obscure", "#1", "rclone obscure «sunset»", "rclone obscure"),
    _rule("slappasswd|mkpasswd", "-s -p", "slappasswd -s «sunset»", "slappasswd -T file"),
    # Registries, clouds, tools of developers
    _rule(
        "docker login|podman login|buildah login|skopeo login|helm registry login|oras login"
        "|nerdctl login|az login|oc login|cf login|az acr login|ibmcloud login|crane auth login",
        "-p -p*",
        "docker login -u ann -p «sunset»",
        "docker login -u ann",
    ),
    _rule(
        "skopeo",
        "--creds: --src-creds: --dest-creds:",
        "skopeo copy --src-creds ann:«sunset» a b",
        "skopeo copy a b",
    ),
    _rule(
        "cargo login|ngrok authtoken|ngrok config add-authtoken|snyk auth|cloudflared service"
        "|cloudflared tunnel|npm config set|yarn config set|pnpm config set|sentry-cli login"
        "|doppler configure set token|infracost configure set|composer config|poetry config"
        "|bundle config|bundle config set|pip config set|pulumi config set|jf config",
        "#1! #2! #3! #4!",
        "cargo login «q7RtW2yUpA9sDfG4»",
        "cargo login --registry mine",
    ),
    _rule(
        "nuget|dotnet nuget|gem|twine|modal|tailscale|hf|huggingface-cli|wandb|zerotier-cli|fly"
        "|stripe|railway|netlify|vercel",
        "-k! -p! -t! --key! --token-id! #2! -ApiKey! --api-key!",
        "dotnet nuget push a -k «q7RtW2yUpA9sDfG4»",
        "dotnet nuget push a",
    ),
    _rule(
        "aws configure set|git config|doppler secrets set|conda config|gh secret set|setx|setenv"
        "|firebase functions:config:set|dokku config:set|defaults write",
        "#2? #3?",
        "aws configure set aws_secret_access_key «q7RtW2yUpA9sDfG4»",
        "aws configure set region eu-west-1",
    ),
    _rule("etcdctl|nats", "--user:", "etcdctl --user ann:«sunset» get a", "etcdctl get a"),
    _rule(
        "consul kv put|etcdctl put|redis-cli set|valkey-cli set|redis-cli setex",
        "#2? #3?",
        "consul kv put db/password «sunset»",
        "consul kv put db/name sunset",
    ),
    _rule(
        "gh secret set|az keyvault secret set|fly secrets set",
        "-b -b* --body --value",
        "gh secret set NAME --body «sunset»",
        "gh secret set NAME",
    ),
    _rule("oathtool", "#1!", "oathtool --totp -b «GEZDGNBVGY3TQOJQ»", "oathtool --help"),
    _rule(
        "twurl|minio|mc alias set|mc config host add",
        "#3! #4",
        "mc alias set a host key «sunset»",
        "mc alias set a host",
    ),
    # Commands that set variables
    _rule(
        "export|env|docker|podman|kubectl|helm|heroku|flyctl|az|gcloud|aws|terraform|supabase"
        "|wrangler|oc|declare|ansible|ansible-playbook|systemd-run|psql|pg_dump|rclone|mount"
        "|mount.cifs|vault|dokku|mvn|gradle|gradlew|sudo|iwctl|consul|nomad|restic|borg|svn",
        "",
        "export DB_PASSWORD=«sunset»; ls",
        "export DB_PASSWORD=$1",
    ),
)
"""For all of them, the words `NAME=secret` and `--name secret` count too, if the name tells."""
