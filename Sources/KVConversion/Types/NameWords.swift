/// The words of ``NameHints``, with the weights of the types that each suggests.
///
/// The weights were learned from the names of 6,415 settings of 87 public apps for Android and iOS,
/// in Java, Kotlin, Swift, Objective-C and Dart, with the types that the source code gives them.
/// The method is a logistic regression of the type on the words and their positions, in which the
/// names of one app count as at most 60. Each weight is regularized toward its value in an earlier
/// table, which was made by hand, or toward 0. It keeps that value if only one app has the word.
/// The names of 42 other apps were held out for measurement.
///
/// `word:b,i,s,l` is a word and its weights, in half bits, for Booleans, integers, text, and lists
/// of text: 4 makes a type four times likelier, -2 half as likely. Zeros at the end are left out.
/// `-ed` means all words with this ending, `is-` those with this beginning, and `-s` plurals. Their
/// weights are added to the word's own.
enum NameWords {
  /// The first word of several.
  static let first = """
    -able:3,-3,-3,3 -ed:0,-2,-1,2 -ing:3,-1,1,-3 -ion:0,1,1,-2 is-:11 accept:11 \
    accessibility:2,-1 active:-2,0,0,1 add:5,0,1 advanced:-1,0,2 agree:11 allow:11 always:9,0,1 \
    animate:11 appearance:-2,-2,4 apply:11 archive:-1,2 are:11 ask:11 auto:3,0,1,-1 \
    automatic:6,-1 automatically:3 b:9 backup:0,-2,0,1 backups:0,2 behaviour:0,-2,2 black:2,0,-1 \
    block:11 blur:11 bool:13 boolean:13 button:-2,0,2 bypass:2,0,-1 cache:-2,0,2 can:11 \
    change:11 clear:4,0,1 close:5 color:0,2 confirm:11 could:11 count:0,7 current:0,8,3 \
    custom:0,1,3 danmaku:2,0,-2 dark:6,0,1 date:-1,2 debug:8 default:0,4,7 delete:5 detailed:5 \
    detect:11 developer:8 did:9,0,0,2 disable:11 display:8,0,2 do:11 does:11 dont:11 \
    downloads:1,-2 dynamic:3,-1,-1 edit:5 enable:11 exclude:11 excluded:-2,0,2 fav:-2,0,2 \
    feed:-2,0,2 first:2 fit:5 fix:5 follow:6 font:-2,2 force:11,1 gesture:-1,0,2 group:0,2,-1 \
    had:11 has:11 have:11 hide:11 highlight:11 home:0,0,0,2 i:0,9 icon:-2,2 ignore:11 include:11 \
    incognito:8 increase:5 int:0,13 integer:0,13 invert:11 is:11 keep:11 l:0,9 last:0,9,6 \
    latest:0,7,3 load:5 lock:5,-2,2 long:2,11 map:-1,0,2 match:11 max:0,8,3 may:11 merge:5 \
    migrated:2,0,-2 min:0,11 must:11 mute:11 n:0,9 navigation:2,-1 need:11 needs:11 never:11 \
    next:0,7 night:5,3 notification:2,-3 notify:11 num:0,11 number:0,0,2 offline:8 open:5 opt:11 \
    page:-2,0,1 pause:2,0,-1 photo:2 play:5 playback:0,-1,2 player:-1,2,-2 port:0,0,2 prefer:11 \
    preferred:-3,1,2 prevent:11 primary:0,2,-1 profile:0,2 receive:5 recent:-1,0,2 reduce:5 \
    remember:11 remind:11 reminder:0,-2,0,2 remote:0,-2,1 remove:5,0,1 report:5 require:11 \
    reset:5 respect:11 restore:5 result:0,0,-2,2 s:0,0,9 safe:8 save:5,1 selected:-2,7,3,2 \
    send:5 separate:5 server:-1,0,2 set:3,0,-2 share:7 should:11 show:13,-1,-1 sidebar:3,-1,-2 \
    silent:8 single:2,0,-2 skip:8,0,2 sleep:0,2,-2 start:3,0,2 stats:-2,3 stop:5 str:0,0,13 \
    string:0,0,13 strip:11 suggest:11 support:5 swap:5 sync:5,0,1 tags:0,0,0,2 task:-2,0,2 \
    tasker:0,1,-2 theme:-3,0,2 tile:0,0,2 times:0,11 total:0,11 ui:0,-2 unread:-2,2 update:0,0,2 \
    use:11 verify:11 version:0,2,-1 volume:2,0,-1 want:11 warn:11 was:11 were:11 whats:-1,2 \
    will:11 would:11
    """

  /// The words between the first and the last.
  static let inside = """
    -able:1,2,-4,1 -ed:2,-1,0,-1 after:5 allow:7 always:5,0,1 app:-2,0,0,1 as:3 ascending:2 \
    ask:7 at:4 bar:0,2 before:4 by:5,0,-1 can:7 card:-2,2 cards:-1,0,2 change:2,0,-1 \
    check:0,0,0,2 closed:2,0,-2 color:-2,3 connections:0,2,-1 correction:0,-1,2 count:0,5,1 \
    crash:-2,0,0,1 current:-2,0,2 dark:7,2 days:0,5 debug:6,0,2 developer:8 device:-2,0,1 \
    disable:7 disabled:7 dynamic:0,0,-2 enable:7 enabled:7 end:0,2,-1 entry:-2,0,1 \
    extension:0,2,-1 file:0,2,-2 filter:0,0,2 fling:-2,0,2 for:3 force:7 from:4 gesture:0,-1,2 \
    grid:-1,3,-1 has:7 hide:7 highlight:2,0,-2 hours:0,5 icon:0,2,-1 if:4 ignore:7 in:4 \
    incognito:8,0,1 info:0,-1,2 instance:0,-1,2 is:7 key:-1,4,-1 keyboard:2,0,-1 last:-3,2,1 \
    layout:-1,3,-1 limit:0,2 lock:0,0,0,2 max:-3,4 min:0,-2,3 minutes:0,5 more:-2,1 never:7 \
    new:0,0,-2,1 next:0,2,-1 night:8 not:4 notification:-2,0,1 num:0,2,-1 number:1,4 of:-2,0,1 \
    offline:8 on:6,-1 onboarding:-3,0,1 only:4,0,0,1 override:0,2 password:-2,0,2 picker:0,1,-2 \
    played:-1,0,2 press:1,-2 private:2,0,-2 proxy:0,-2,2 quick:2 reading:-1,-1,3 remember:2,-1 \
    reverse:2,0,-1 safe:8 screen:-2,0,2 search:-2,0,0,1 seconds:0,5 selected:-1,2 server:-1,2 \
    shortcut:-2,0,1 should:7 show:8,0,0,-1 silent:8 size:-2,2 skip:7 snooze:0,-2,2 song:0,-2,1 \
    sort:-2,2 sound:0,-2,2 statistics:-1,0,2 stored:-1,0,2 tabs:2,0,-1 text:0,2 the:-1,0,2 \
    times:0,5 to:4 trackers:-1,2 type:-2,1 types:0,0,-1,3 upload:0,2,-2 use:8 version:-2,2 \
    whats:-2,0,0,1 when:4 while:4 with:4,0,0,1 without:4
    """

  /// The last word, or the only one.
  static let last = """
    -able:5,-2,-3 -ed:2,-1,-1 -ing:3,-1,-2 -ion:2,-1,2,-3 -s:-1,-2,-1,4 is-:7 account:0,2,4 \
    accounts:0,0,0,9 action:0,7,7 actions:-2,0,0,2 active:8 address:0,0,9 again:8 age:0,13 \
    agent:0,0,9 agree:8 amount:0,10,1 analytics:8 angle:0,11 apps:0,0,-2,2 area:-2,2 \
    artist:-1,0,2 at:0,13 attempts:0,13 auth:-1,0,2 avatar:2,0,7 background:2,0,-1 badge:8 \
    balance:0,11 banner:8 bar:8 behavior:0,2,4 behaviour:0,1,5 bio:0,0,9 birthday:0,0,9 \
    bitrate:0,11 black:2 blocklist:-1,0,0,2 bookmarks:1,1,0,7 brightness:-1,2,-1 build:0,11 \
    button:8,0,1 buttons:8 categories:0,0,2,10 category:0,1,5 channel:2,0,4 city:1,0,7 \
    client:0,0,5 cnt:0,13 code:1,11,10 coins:0,11 color:0,8,3 colour:0,11 column:0,9,1 \
    columns:0,11 confirmation:8 consent:8 cookie:0,0,9 count:-1,13 counter:0,13 country:0,0,11 \
    currency:0,0,9 current:0,2 dark:5,1,1 data:0,-2,3 date:0,7,7 day:0,12,2 days:0,12,0,2 \
    delay:1,9 desc:0,0,11 description:0,0,11 dir:0,0,9 directory:0,0,11 disable:8 disabled:11 \
    distance:0,10,1 dns:0,0,2 domain:0,0,9 done:11 dp:0,11 draft:0,0,9 duration:0,13,1 \
    edited:-1,2 email:0,0,11 enable:8 enabled:11 encoding:0,0,9 encrypted:-1,0,2 engine:-1,0,2 \
    engines:0,0,0,2 error:0,0,5 expiration:0,13 expires:0,13 expiry:0,13 favorites:2,0,1,11 \
    favourites:0,0,0,13 file:1,0,9 filter:0,0,5 first:8 flag:8 flags:0,2 folder:0,0,11 \
    font:2,0,7 format:0,2,11 frequency:0,11,1 from:-2 fullscreen:8 gender:0,11 general:-1,0,2 \
    guid:0,0,11 guide:8 handler:-1,0,2 haptic:8 haptics:8 hash:0,1,11 headers:0,0,2 height:0,11 \
    hidden:9,2 hint:8 horizontal:-2 host:0,2,7 hostname:-1,0,2 hour:0,13 hours:0,13 icon:0,-1,2 \
    id:0,12,12 identifier:0,0,9 ids:0,0,0,15 idx:0,13 impressions:0,13 index:0,13 info:2,0,3 \
    interval:0,9,5 intro:8 items:0,0,0,9 iv:-1,0,2 json:0,0,9 key:0,0,11 keys:0,0,2 label:0,0,9 \
    lang:0,0,11 language:0,0,11 languages:0,0,2,12 last:-2,2 launches:0,13 layout:-2,0,3 \
    length:0,11 level:0,7,3 limit:0,11 line:0,2,-2 link:0,0,9 list:0,0,3,10 locale:0,0,11 \
    location:0,0,5 lock:2 login:5,0,3 lvl:0,11 mail:0,0,11 margin:0,11 mask:0,2,-1 max:0,9,2 \
    menu:8 message:0,0,9 method:0,2 millis:0,13 min:0,11 minute:0,13 minutes:0,13 mode:0,6,5 \
    model:0,0,9 modified:-2,0,1 month:0,13 ms:0,13 msg:0,0,9 mute:8 name:0,0,9 names:2,0,0,12 \
    nick:0,0,11 nickname:0,0,11 night:8 no:-1,0,2 nonce:0,0,9 note:0,0,9 notifications:8 \
    num:0,11,1 number:0,11 off:8 offset:0,11 on:11 onboarding:8 only:11 opacity:-2,3 open:8 \
    opens:0,11 optin:8 option:0,8,4 options:0,0,2 order:0,6,7,1 orientation:0,7,1 output:3,-2,-1 \
    pack:-1,0,2 padding:2,9 page:0,4,2 passwd:0,0,11 password:0,0,11 path:0,0,11 pattern:0,0,9 \
    payload:0,0,9 percent:0,11 period:0,10 phone:0,0,11 pin:-1,0,2 pixels:0,11 plugin:0,0,2 \
    points:1,11 port:-2,9,3 pos:0,8 position:0,10,4 prefix:0,0,9 priority:0,9,3 privacy:5,0,3 \
    profile:0,0,9 progress:2,9 promo:8 provider:0,3,2 pwd:0,0,11 px:0,11 quality:-2,9,4 \
    quantity:0,11 query:0,0,9 radius:0,11 rate:0,9,2 rating:0,11 read:11 ready:8 reason:-1,0,2 \
    recents:0,0,2,11 region:0,0,9 report:0,0,0,2 retries:0,13 retry:0,11 ringtone:-1,0,2 row:2,9 \
    rows:0,11 run:6,0,2 runs:0,11 score:0,11 screen:2 search:2,0,-1 second:0,13 seconds:0,13 \
    secret:0,0,9 seed:0,11 seen:9,2 sensitivity:0,11 seq:0,11 server:0,1,5 session:0,0,5 \
    sessions:0,11 shape:-1,0,2 show:3,-1,-1 shown:8 signature:2,0,9 since:0,13 size:-1,8,4 \
    sort:1,5,5 source:0,0,9 sources:0,0,0,9 speed:0,9,2 stars:0,11 start:0,2 state:0,2,3 \
    status:0,3,1 step:0,11 steps:0,10,0,1 strategy:-1,0,2 streak:0,11 style:0,8,7 suffix:0,0,9 \
    sum:0,11 switch:8 sync:7,0,2 tab:1,9 tag:0,0,5 tags:0,0,0,12 text:2,0,7 theme:3,8,9 \
    threads:0,11 threshold:0,11 time:0,10,3 timeout:0,11,3 times:0,11 timestamp:0,13 tip:8 \
    title:1,0,9 tls:2,0,-1 to:-1,2 toggle:8 token:1,0,11 topics:0,0,0,9 total:0,11 \
    trigger:0,2,-1 ts:0,13,1 tutorial:8 type:2,9,9 types:0,0,0,2 units:-1,0,2 unread:0,5 \
    until:0,13 uri:0,0,10 url:-1,0,9 urls:0,0,0,9 username:0,0,11 users:0,0,0,9 uuid:0,0,11 \
    valid:11 variant:0,0,9 version:-1,16,9 vertical:-2 vibrate:8 vibration:8 view:0,2,-2 vip:8 \
    visibility:6,0,2 visible:8 visits:0,13 volume:0,11 vpn:-2,0,2 week:0,11,3 widget:-2,-1,3 \
    width:0,11 words:0,0,0,13 x:0,11 y:0,11 year:0,13 yes:-1,0,2
    """
}
